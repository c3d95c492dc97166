"""Hardware counters of the GPU's kernels.

Nsight Compute (ncu) reads the counters of every kernel of one temperature, beta = 0.44 near the critical
point, for a few runs; the clocks stay as they are. Nsight Systems (nsys) sums the device's time over all
temperatures by section (paising/cuda/device/nvtx_section.h). A tool that is not there, or may not read counters, is a
SKIP. perf/method.md says what the columns mean.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import sys
import tempfile
from pathlib import Path

from bench.common import Failed, data_lines, last_line, output_of, publish, run
from bench.measuring import read_run
from bench.points import sites_of
from bench.tables import markdown, paragraph

FOLDER = Path("build/profile")
TEMPERATURE = 88  # 88 steps of 0.005 from beta = 0
SHARED = "-d 0.005 -f 0.44"
RUNS = {
    "msc_128_theta100": "-c msc -L 128 -R 50000 -t 100",
    "msc_128_theta1": "-c msc -L 128 -R 50000 -t 1",
    "msc_64_theta100": "-c msc -L 64 -R 50000 -t 100",
    "cubic_16_theta100": "-c msc --model cubic -L 16 -R 200000 -t 100",
    "glass3d_10_theta100": "-c msc --model glass3d -L 10 -R 800000 -t 100",
    "ssc_128_theta10": "-c ssc -L 128 -R 50000 -t 10",
    "msc_128_theta10_apart": "-c msc -L 128 -R 50000 -t 10 --stages apart",
}
SECTIONS = "randomise|resample|collect|step|sweep|measure|report"
PACKAGES = {"ncu": "cuda-nsight-compute-13-0", "nsys": "cuda-nsight-systems-13-0"}

PEAK = ".avg.pct_of_peak_sustained_active"
TIME, READ, WRITTEN = "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"
INSTRUCTIONS, CLOCK = "smsp__inst_executed.sum", "sm__cycles_elapsed.avg.per_second"
PERCENT = ["smsp__issue_active" + PEAK, "sm__inst_executed_pipe_alu" + PEAK, "sm__pipe_fmaheavy_cycles_active" + PEAK,
           "sm__inst_executed_pipe_lsu" + PEAK, "dram__throughput.avg.pct_of_peak_sustained_elapsed",
           "sm__warps_active" + PEAK]
REGISTERS = "launch__registers_per_thread"
METRICS = [TIME, READ, WRITTEN, INSTRUCTIONS, *PERCENT, CLOCK, REGISTERS]

# Nothing is queued ahead of the host: kernels that wait for it would wait in vain for a host that waits for the tools.
BLOCKING = {"CUDA_LAUNCH_BLOCKING": "1"}

COUNTER_COLUMNS = [("time/us", 10), ("flips", 12), ("ps/flip", 9), ("read/byte", 11), ("write/byte", 11),
                   ("byte/flip", 9), ("inst/flip", 9), ("issue%", 6), ("alu%", 6), ("mul%", 6), ("lsu%", 6),
                   ("dram%", 6), ("occ%", 6), ("GHz", 6), ("regs", 5)]
COUNTERS_HEAD = (
    "# flips: spin-flip attempts of the kernel, or spins that it passes where it does not sweep\n"
    "# inst: executed, for each of 32 threads; issue, alu, mul, lsu, dram: % of the device's peak\n"
    + " ".join([f"# {'run':<22}", f"{'section':<10}", f"{'kernel':<18}"] + [f"{n:>{w}}" for n, w in COUNTER_COLUMNS])
    + "\n")
SHOWN = "run section time/us ps/flip byte/flip inst/flip issue% alu% mul% lsu% dram% occ%".split()
SHOWN_HEAD = (
    "One temperature, beta = 0.44, under Nsight Compute. section: the kernel's part of a step; resample chooses parents, step "
    "is the fused kernel. Per spin flip, or spin passed where nothing is swept: ps, bytes of device memory, instructions for "
    "each of a warp's 32 threads. In % of the device's peak: issue slots, alu (logic and additions), mul (integer "
    "multiplier), lsu (loads and stores), dram (bandwidth), occ (resident warps).")
SECTIONS_HEAD = ("# device's time by section, over a whole run\n"
                 f"# {'run':<22} {'section':<10} {'instances':>9} {'total/ms':>12} {'mean/us':>12}\n")


# --- what the tools print ---


def metric(kernel: dict[str, str], name: str) -> float:
    """A metric of a kernel; nan: this device or version does not have it."""
    text = kernel.get(name, "").replace(",", "")
    return float(text) if re.match("-?[0-9.]", text) else math.nan


def section_of(kernel: dict[str, str]) -> str:
    """The innermost of the program's sections; other libraries name theirs too."""
    ranges = [text for name, text in kernel.items() if "Push/Pop_Range" in name]
    found = re.findall(f":({SECTIONS})(?=:)", ranges[-1]) if ranges else []
    return found[-1] if found else "-"


def counter_rows(name: str, options: str, population: float, page: str) -> str:
    """The kernels of ncu's raw page (one a line, units in the line after the header), a row each. A spin's
    share of a kernel is what the kernel does divided by the spins that it passes: N R_i, times theta in
    the sections that sweep (step, sweep). An instruction counts for each of its 32 threads."""
    words = options.split()
    option = dict(zip(words, words[1:]))
    sites = sites_of(option.get("--model", "square"), int(option["-L"]))
    rows = ""
    for kernel in csv.DictReader(line for line in page.splitlines() if line.startswith('"')):
        if not kernel["ID"][:1].isdigit():  # units
            continue
        section = section_of(kernel)
        flips = sites * population * (float(option["-t"]) if section in ("step", "sweep") else 1)
        time, read, written = (metric(kernel, m) for m in (TIME, READ, WRITTEN))  # ns, bytes, bytes
        values = [time / 1e3, flips, time * 1e3 / flips, read, written, (read + written) / flips,
                  metric(kernel, INSTRUCTIONS) * 32 / flips, *(metric(kernel, m) for m in PERCENT),
                  metric(kernel, CLOCK) / 1e9, metric(kernel, REGISTERS)]
        cells = [f"{value:{width}.{6 if width > 8 else 4}g}" for value, (_, width) in zip(values, COUNTER_COLUMNS)]
        rows += f"{name:<24} {section:<10} {kernel['Kernel Name'][:18]:<18} {' '.join(cells)}\n"
    return rows


def section_rows(name: str, report: str) -> str:
    """The device's time by section from nsys' nvtx_gpu_proj_sum in CSV; temperatures are summed in one row."""
    lines = report.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith(("Range,", '"Range"'))), len(lines))
    instances: dict[str, int] = {}
    total: dict[str, float] = {}
    for row in csv.DictReader(lines[start:]):
        section = row["Range"].partition(":")[2] or row["Range"]
        if section.startswith("temperature_"):
            section = "temperature"
        if re.fullmatch(f"temperature|{SECTIONS}", section):
            instances[section] = instances.get(section, 0) + int(row["Range Instances"])
            total[section] = total.get(section, 0) + float(row["Total Proj Time (ns)"])
    return "".join(f"{name:<24} {section:<10} {n:9d} {1e-6 * total[section]:12.4f} {1e-3 * total[section] / n:12.3f}\n"
                   for section, n in instances.items())


def render_counters(text: str) -> str:
    """A table of counters, in Markdown: per flip, and in % of the device's peak."""
    machine = [line[2:] for line in text.splitlines() if re.match("# (commit|date|device|driver): ", line)]
    names = next(line[2:].split() for line in text.splitlines() if line.startswith("# run "))
    kept = [n for n, name in enumerate(names) if name in SHOWN]
    rows = [[line.split()[n] for n in kept] for line in data_lines(text)]
    return paragraph("; ".join(machine), "md") + paragraph(SHOWN_HEAD, "md") + markdown([names[n] for n in kept], rows)


# --- runs under the tools ---


class Profile:
    """Runs of the program on a device."""

    def __init__(self, device: str, scratch: Path) -> None:
        self.device, self.scratch = device, scratch
        self.log = scratch / "log"

    def run(self, tool: str, options: str, result: str = "result") -> int:
        """Runs the program under a tool; the result goes to scratch/`result`."""
        command = f"{tool} build/paising -D {self.device} {options} --force -o".split()
        return run([*command, str(self.scratch / result)], self.log, **BLOCKING)

    def failed(self, what: str) -> Failed:
        """That something failed, with the last words of the run."""
        return Failed(f"{what} failed: {' '.join(self.log.read_text().splitlines()[-3:])}")

    def head(self, tool: str) -> str:
        """What a table is about: machine, program, tool."""
        said = read_run(self.scratch / "probe")
        engine = said["engine"].partition(" on ")[2]
        return (f"# commit: {said['commit']}\n# date: {said['date']}\n# device: {engine}\n"
                f"# driver: {said['driver']}\n# {tool}\n")

    def read_counters(self) -> str:
        """The table of counters; nothing where ncu may not read them."""
        table = self.head(last_line(output_of(["ncu", "--version"]))) + COUNTERS_HEAD
        page = self.scratch / "counters.csv"
        tool = (f"ncu --clock-control none --nvtx --nvtx-include temperature_{TEMPERATURE}/ --metrics {','.join(METRICS)} "
                f"--print-units base --print-kernel-base function --csv --page raw --log-file {page}")
        for name, options in RUNS.items():
            print(f"profile: {name}", file=sys.stderr)
            if self.run(tool, f"{options} {SHARED}") != 0:
                said = page.read_text() if page.exists() else ""
                if "ERR_NVGPUCTRPERM" in said or "LibraryNotLoaded" in said:
                    print("SKIP: profile: this machine does not let ncu read hardware counters; NVIDIA's page on "
                          "ERR_NVGPUCTRPERM says how its owner may allow it")
                    return ""
                with open(self.log, "a", encoding="utf-8") as log:
                    log.write("\n".join(said.splitlines()[-3:]))
                raise self.failed(f"ncu, {name}")
            rows = data_lines((self.scratch / "result" / "PA_results_run_0.dat").read_text())
            counters = counter_rows(name, options, float(rows[TEMPERATURE].split()[8]), page.read_text())
            if not counters:
                raise self.failed(f"ncu, {name}: no kernel was profiled;")
            table += counters
        return table

    def sum_sections(self) -> str:
        """The table of sections."""
        table = self.head(output_of(["nsys", "--version"]).strip()) + SECTIONS_HEAD
        trace, report = self.scratch / "trace", self.scratch / "sections.csv"
        tool = f"nsys profile --trace=cuda,nvtx --sample=none --cpuctxsw=none --force-overwrite=true --output={trace}"
        stats = f"nsys stats --report nvtx_gpu_proj_sum --format csv --force-export=true {trace}.nsys-rep"
        for name, options in RUNS.items():
            print(f"profile: {name}", file=sys.stderr)
            if self.run(tool, f"{options} {SHARED}") != 0:
                raise self.failed(f"nsys, {name}")
            if run(stats.split(), report) != 0:
                raise Failed(f"nsys stats, {name} failed: {last_line(report.read_text())}")
            sections = section_rows(name, report.read_text())
            if not sections:
                raise self.failed(f"nsys, {name}: no section was seen;")
            table += sections
        return table


def profile(device: str) -> int:
    """Reads counters and sums sections, as far as there are tools for it; returns the status."""
    with tempfile.TemporaryDirectory() as scratch:
        p = Profile("cuda" if device == "auto" else device, Path(scratch))
        if p.run("", "-L 16 -R 1 -t 1 -f 0", "probe") != 0:
            print(f"SKIP: profile: no GPU can be used: {last_line(p.log.read_text())}")
            return 0
        FOLDER.mkdir(parents=True, exist_ok=True)
        for tool, name, make in (("ncu", "counters", p.read_counters), ("nsys", "sections", p.sum_sections)):
            if not shutil.which(tool):
                print(f"SKIP: profile: {tool} is not there; it comes with the CUDA toolkit (package {PACKAGES[tool]})")
                continue
            table = make()
            if table:
                publish(FOLDER / f"{name}.dat", table)
                print(table, end="")
    return 0
