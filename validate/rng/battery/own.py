"""The user's own generator: GENERATOR=my.c is looked at before anything is built with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .programs import Refused, how_it_ended

WRAPPER = Path("external/generator.c")  # in the build folder
FUNCTIONS = ("external_state_bytes", "external_seed", "external_next")
# Drawn before anything else is done, in a process of their own, which gets so many seconds.
FIRST_NUMBERS, SECONDS = 1000, 10
MOST_BYTES = 1 << 20  # of a state; the Ising test has 262144 of them
NOTHING = subprocess.DEVNULL
DRAWN = 97  # its status if nothing is wrong
COMPLAINTS = {
    98: f"external_state_bytes: allowed are at most {MOST_BYTES}",
    99: "writes behind the external_state_bytes of a state",
    100: "a thread draws other numbers where another one draws, too: state that is not its own, or that external_seed did not set",
    101: "of the threads 0 to 3 of the seeds 1 to 4 two draw the same numbers",
}
DRAW = f"""
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
size = ctypes.c_size_t.in_dll(library, "external_state_bytes").value
if size > {MOST_BYTES}:
    os._exit(98)
def seeded(seed, thread, fill=0):
    state = (ctypes.c_uint64 * (size // 8 + 9))()
    ctypes.memset(state, fill, ctypes.sizeof(state))
    library.external_seed(state, ctypes.c_uint64(seed), ctypes.c_uint64(thread))
    return state
def numbers(*states):
    return [*zip(*([library.external_next(state) for state in states] for n in range({FIRST_NUMBERS})))]
alone, = numbers(seeded(1, 0))
first = seeded(1, 0, 255)
beside, _ = numbers(first, seeded(1, 1))
if any(byte != 255 for byte in bytes(first)[size:]):
    os._exit(99)
if beside != alone:
    os._exit(100)
if len({{*numbers(*(seeded(seed, thread) for seed in range(1, 5) for thread in range(4)))}}) < 16:
    os._exit(101)
os._exit({DRAWN})
"""


def wrapper_of(source: Path) -> str:
    """A C file that has the user's in it, wherever that is: make takes no name with blanks."""
    return f'#include "validate/rng/external.h"\n#include "{source.resolve()}"\n'


def compile_alone(wrapper: Path, target: Path) -> str:
    """What the compiler or the linker complains of first; nothing: it has made a library, which leaves no name undefined."""
    options = ["-std=c11", "-D_GNU_SOURCE", "-I.", "-w", "-shared", "-fPIC", "-Wl,-z,defs", "-o", str(target), str(wrapper), "-lm"]
    command = [os.environ.get("CC") or "gcc", *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    lines = done.stderr.decode(errors="replace").splitlines()
    undefined = [line[line.index("undefined reference") :] for line in lines if "undefined reference" in line]
    found = undefined or [line for line in lines if "error:" in line] or lines or ["the compiler failed"]
    return "".join(c if c.isprintable() else "?" for c in found[0])[:300] if done.returncode else ""


def defined(target: Path) -> set[str]:
    """The names that a library offers."""
    listed = subprocess.run(["nm", "-g", "--defined-only", str(target)], check=True, stdout=subprocess.PIPE, text=True)
    return {line.split()[-1] for line in listed.stdout.splitlines() if line.strip()}


def draw_first(target: Path) -> str:
    """What is wrong with the first numbers of some threads; nothing if they come, and are those of their states alone."""
    command = [sys.executable, "-c", DRAW, str(target)]
    try:
        status = subprocess.run(command, check=False, stdin=NOTHING, stdout=NOTHING, stderr=NOTHING, timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        return f"its first {FIRST_NUMBERS} numbers took more than {SECONDS} s"
    if status in COMPLAINTS:
        return COMPLAINTS[status]
    return "" if status == DRAWN else f"drawing its first {FIRST_NUMBERS} numbers {how_it_ended(status)}"


def prepare(name: str, build: Path) -> None:
    """Writes the wrapper into the build folder, if it is not there; Refused with one line if the file is no generator."""
    source, wrapper = Path(name), build / WRAPPER
    if not name or not source.is_file() or not os.access(source, os.R_OK):
        raise Refused(f"GENERATOR={name}: no file that can be read")
    if source.suffix != ".c":
        raise Refused(f"GENERATOR={name}: the name of a C file ends in .c")
    if any(c in str(source.resolve()) for c in '"\\\n'):
        raise Refused(f"GENERATOR={name}: no quotation marks, backslashes or ends of line in a name")
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    if not wrapper.exists() or wrapper.read_text() != wrapper_of(source):
        wrapper.write_text(wrapper_of(source))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "generator.so"
        complaint = compile_alone(wrapper, target)
        if complaint:
            raise Refused(f"GENERATOR={name}: {complaint.replace(f'{source.resolve()}:', 'line ')}")
        names = defined(target)
        missing = [function for function in FUNCTIONS if function not in names]
        if missing:
            raise Refused(f"GENERATOR={name}: {', '.join(missing)} missing (validate/rng/external.h)")
        if "main" in names:
            raise Refused(f"GENERATOR={name}: has a main, which the programs have already")
        complaint = draw_first(target)
        if complaint:
            raise Refused(f"GENERATOR={name}: {complaint}")
