#!/usr/bin/env python3
"""Claims on perf/vectors.py: published tables stand beside the committed times, both with speed-ups that are ratios of times; other times give
other ones (control); what is not allowed is refused."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def said(*words: str) -> tuple[int, list[list[str]]]:
    """The status of vectors.py, and the cells of its table."""
    done = subprocess.run([sys.executable, "-B", str(HERE / "vectors.py"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines() if line.startswith("|")]


class Vectors(unittest.TestCase):
    """The tables of vectors.py."""

    def test_published_times_stand_beside_ours(self) -> None:
        for paper, devices in (("001", 4), ("003", 3)):
            status, rows = said("paper", paper)
            core, gpu = rows[-2], rows[-1]
            self.assertEqual((status, len(rows)), (0, 2 + devices + 2))
            self.assertIn("H200", gpu[0])
            self.assertEqual(gpu[4], ", ".join(f"{float(core[1 if n == 2 else n]) / float(gpu[n]):.0f}" for n in (1, 2, 3)))
            self.published_ratios(rows[2:-2])

    def published_ratios(self, rows: list[list[str]]) -> None:
        """Printed speed-ups are ratios of the printed times, but for what rounding does."""
        core = [float(rows[0][n]) for n in (1, 1, 3)]
        for row in rows[1:]:
            for cpu, time, gain in zip(core, row[1:4], row[4].split(", ")):
                half = 0.5 * 10.0 ** -len(time.split(".")[1])
                self.assertLess(abs(cpu / float(gain) - float(time)), half + 0.51 * float(time) / float(gain), row)

    def test_shares_of_floors(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            times = Path(folder) / "times"
            times.write_text("# a comment\nGPU float k=1 10 6 2\nGPU double k=1 10 1 2\n")
            self.assertEqual([row[-1] for row in said("table", str(times))[1][2:]], ["60", "20"])
            times.write_text("GPU float k=1 12 6 2\n")
            self.assertEqual([row[-1] for row in said("table", str(times))[1][2:]], ["50"])  # control

    def test_what_is_not_allowed_is_refused(self) -> None:
        for words in ((), ("paper", "002"), ("measure", "gpu"), ("table", "a", "b")):
            self.assertEqual(said(*words), (2, []))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
