#!/usr/bin/env python3
"""No bit changes: the data files of build/paising against committed digests, one set of options a line.

    digests.py check [--short] [--paising FILE] [-- OPTION ...]   the options are added to every set (-D cuda)
    digests.py write [--paising FILE]                              makes digests.txt anew

A digest covers the exit status and the names and bytes of every data file of a result. It leaves out run.json, which
has what may differ, and PA_schedule.dat, whose temperatures are those of the rows. It leaves out the first line of a
table, too, which must repeat the line with the names of its columns. Columns that the line `# columns:` of
digests.txt does not name are left out: new ones change no digest until `write`. A line of digests.txt is

    DIGEST  KIND  options

KIND says how the program is run: `full`, or `short` for the sets of `make check`. A run whose KIND ends with `-resume`
is interrupted (SIGTERM) once its first checkpoint is there. What it wrote by then must be the beginning of the whole
result. The digest is that of the run which resumes from the checkpoint. (A run that came to its end before the signal
resumes from its last checkpoint.)

The digests hold on any machine and with any C library. The last line counts: N passed, N failed. Status 1 if one failed, 2 for wrong words."""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True  # no files beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from data_file import rows_of  # noqa: E402

HERE = Path(__file__).resolve().parent
LIST = HERE / "digests.txt"
COLUMNS = "# columns: "
NAMES = re.compile(r"# (beta [^=\n]*)\n")  # the line of a data file that names its columns
NOT_DIGESTED = ("run.json", "PA_schedule.dat")
KINDS = ("full", "short", "full-resume", "short-resume")


@dataclass(frozen=True)
class Case:
    digest: str
    kind: str
    options: str


class Wrong(Exception):
    """What a case shows to be wrong, in one line."""


def read_cases(text: str) -> list[Case]:
    """The cases of a list; lines that begin with # are remarks."""
    cases = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        words = line.split(None, 2)
        if len(words) != 3 or words[1] not in KINDS:
            raise SystemExit(f"{LIST.name}:{number}: not DIGEST KIND OPTIONS, KIND one of {', '.join(KINDS)}")
        cases.append(Case(*words))
    return cases


def without_top(name: str, data: bytes) -> bytes:
    """A table without its first line, which repeats the names of the columns, and with the checksum of what is left."""
    lines = data.splitlines(keepends=True)
    header = list(itertools.takewhile(lambda line: line.startswith(b"#"), lines))
    if len(header) < 3 or header[0] != (header[-1] if len(header) < len(lines) else header[-2]):
        raise Wrong(f"{name}: its first line is not the last one before the rows")
    text = b"".join(lines[1:-1])
    return text + b"# crc32 %08x\n" % zlib.crc32(text)


def data_files(folder: Path) -> dict[str, bytes]:
    """Name and bytes of every data file of a result, those of its samples among them; of tables without their first line."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name not in NOT_DIGESTED)
    content = {str(file.relative_to(folder)): file.read_bytes() for file in files}
    return {name: without_top(name, data) if name.endswith(".dat") else data for name, data in content.items()}


def columns_of(data: bytes) -> list[str]:
    """The names of the columns of a data file, if it has names; an array has none."""
    found = NAMES.search(data.decode(errors="replace"))
    return found[1].split() if found else []


def with_columns(data: bytes, known: set[str]) -> bytes:
    """A data file as it would be with known columns alone; others stand behind them."""
    new = {place for place, name in enumerate(columns_of(data)) if name not in known}
    if not new:
        return data
    kept = []
    for line in data.decode().splitlines(keepends=True)[:-1]:  # the last one is the checksum
        named = bool(NAMES.fullmatch(line))
        meaning = re.match(r"# column (\d+): ", line)
        if named or not line.startswith("#"):
            words = line.split()
            line = " ".join(word for n, word in enumerate(words) if n - named not in new) + "\n"
        if not (meaning and int(meaning[1]) - 1 in new):
            kept.append(line)
    text = "".join(kept).encode()
    return text + b"# crc32 %08x\n" % zlib.crc32(text)


def digest_of(status: int, files: dict[str, bytes]) -> str:
    """128 bits, in hexadecimal digits."""
    sum_of = hashlib.sha256(f"status {status}\n".encode())
    for name, data in sorted(files.items()):
        sum_of.update(f"{name} {len(data)}\n".encode())
        sum_of.update(data)
    return sum_of.hexdigest()[:32]


def start(command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)


def run_and_interrupt(command: list[str], folder: Path, scratch: Path) -> None:
    """Runs up to the first checkpoint, and sees that what the interrupted run says is the beginning of the whole."""
    checkpoint, whole = scratch / "checkpoint", scratch / "whole"
    start(command + ["-o", str(whole)]).check_returncode()
    process = subprocess.Popen(
        command + ["-o", str(folder), "--checkpoint", str(checkpoint), "--checkpoint-every", "7"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    while process.poll() is None and not checkpoint.exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    if process.returncode not in (-signal.SIGTERM, 0):
        raise Wrong(f"interrupted: status {process.returncode}, not {-signal.SIGTERM}")
    expected = data_files(whole)
    for name, data in data_files(folder).items():
        there, all_rows = rows_of(name, data), rows_of(name, expected[name])
        averages = name.endswith("_weighted.dat") or (name.startswith("MC_") and name != "MC_series.dat")  # of fewer runs or steps
        if not averages and there != all_rows[: len(there)]:
            raise Wrong(f"interrupted: {name} is not the beginning of the whole result")
    if process.returncode == 0:
        shutil.rmtree(folder)
    resumed = start(command[:1] + words_to_repeat(command) + ["--resume", str(checkpoint)])
    if resumed.returncode != 0:
        raise Wrong(f"resumed: status {resumed.returncode}: {resumed.stderr.decode().strip()}")


def words_to_repeat(command: list[str]) -> list[str]:
    """The words of a command that --resume must be told again: where it runs, and how."""
    again = []
    for option in ("-D", "--stages"):
        if option in command:
            at = command.index(option)
            again += command[at : at + 2]
    return again


def measure(case: Case, paising: str, more: list[str], known: set[str] | None, seen: set[str]) -> str:
    """The digest of what the program makes of a case now, of known columns, or of all. Adds to the columns seen."""

    def digest(status: int) -> str:
        files = data_files(folder)
        seen.update(*map(columns_of, files.values()))
        return digest_of(status, files if known is None else {name: with_columns(data, known) for name, data in files.items()})

    with tempfile.TemporaryDirectory(prefix="digest-") as name:
        scratch = Path(name)
        folder = scratch / "result"
        command = [paising, *more, *shlex.split(case.options)]
        if case.kind.endswith("-resume"):
            run_and_interrupt(command, folder, scratch)
            return digest(0)
        done = start(command + ["-o", str(folder)])
        if done.returncode not in (0, 1):
            raise Wrong(f"status {done.returncode}: {done.stderr.decode().strip()}")
        return digest(done.returncode)


def measure_all(
    cases: list[Case], paising: str, more: list[str], known: set[str] | None, seen: set[str]
) -> list[str | Wrong]:
    """The digest of each case, or what was wrong with it; as many at once as there are processors."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")

    def one(case: Case) -> str | Wrong:
        try:
            return measure(case, paising, more, known, seen)
        except (Wrong, OSError, subprocess.CalledProcessError) as error:
            return Wrong(str(error))

    workers = min(8, len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, cases))


def check(cases: list[Case], paising: str, more: list[str]) -> int:
    failed = 0
    known = {name for line in LIST.read_text().splitlines() if line.startswith(COLUMNS) for name in line.split()[2:]}
    for case, found in zip(cases, measure_all(cases, paising, more, known, set())):
        if found == case.digest:
            continue
        failed += 1
        print(f"FAIL {case.options}: {found if isinstance(found, Wrong) else f'{found}, not {case.digest}'}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def write(cases: list[Case], paising: str) -> int:
    seen: set[str] = set()
    found = measure_all(cases, paising, ["-D", "cpu"], None, seen)
    for case, digest in zip(cases, found):
        if isinstance(digest, Wrong):
            print(f"{case.options}: {digest}", file=sys.stderr)
            return 1
    remarks = [line for line in LIST.read_text().splitlines() if line.startswith("#") and not line.startswith(COLUMNS)]
    remarks.append(COLUMNS + " ".join(sorted(seen)))
    lines = remarks + [f"{digest}  {case.kind:12}  {case.options}" for case, digest in zip(cases, found)]
    LIST.write_text("\n".join(lines) + "\n")
    return 0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "write"))
    parser.add_argument("--short", action="store_true", help="only the sets of `make check`")
    parser.add_argument("--paising", default="build/paising", help="the program [build/paising]")
    own = words[: words.index("--")] if "--" in words else words
    more = words[len(own) + 1 :]
    asked = parser.parse_args(own)
    cases = read_cases(LIST.read_text())
    if asked.short:
        cases = [case for case in cases if case.kind.startswith("short")]
    paising = str(Path(asked.paising).resolve())
    return check(cases, paising, more) if asked.command == "check" else write(cases, paising)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
