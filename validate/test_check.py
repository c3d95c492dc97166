#!/usr/bin/env python3
"""Claims about check.py, with small shell scripts for tests:
- every case counts, and the order is that of the command line, whichever test ends first;
- a test that fails, dies or says nothing of its cases is a case that failed;
- as many tests run at a time as was said;
- scratch files go to the folder that the caller names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check.py"
GROUPS = """[  PASSED  ] 3 test(s).
[  PASSED  ] 0 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] one
[  FAILED  ] 4 test(s), listed below:
[  FAILED  ] another
"""


class Check(unittest.TestCase):
    """check.py, in a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, *scripts: str, jobs: str = "-j2", **settings: str) -> tuple[int, list[str]]:
        """Has check.py run shells, called test_0.sh, test_1.sh ..; its status, and what it says without the times."""
        names = [f"./test_{n}.sh" for n in range(len(scripts))]
        for name, script in zip(names, scripts):
            (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / name).chmod(0o755)
        done = subprocess.run([CHECK, *names, jobs], cwd=self.folder, env={**os.environ, "BUILD": "b", **settings},
                              stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, re.sub(r" \([^()]*\)", "", done.stdout).splitlines()

    def counted(self, script: str) -> tuple[int, str]:
        """The status and the last line, of one test."""
        status, said = self.check(script)
        return status, said[-1]

    def test_cases_are_counted(self) -> None:
        for script, sums in (
            (f"cat <<'END'\n{GROUPS}END\nexit 4", "3 passed, 4 failed, 2 skipped"),
            ("echo 7 passed, 0 failed, 5 skipped", "7 passed, 0 failed, 5 skipped"),
            ("echo SKIP this; echo 1 passed, 0 failed; echo 7 passed, 0 failed", "7 passed, 0 failed, 1 skipped"),
            ("echo 7 passed, 2 failed; exit 1", "7 passed, 2 failed, 0 skipped"),
            ("echo 7 passed, 2 failed", "7 passed, 2 failed, 0 skipped"),
        ):
            with self.subTest(script=script):
                self.assertEqual(self.counted(script), (int(" 0 failed" not in sums), sums))

    def test_what_cannot_report_has_failed(self) -> None:
        for script, sums in (
            ("echo 7 passed, 0 failed; exit 3", "7 passed, 1 failed, 0 skipped"),
            ("echo '[  PASSED  ] 7 test(s).'; kill -9 $$", "7 passed, 1 failed, 0 skipped"),
            ("kill -11 $$", "0 passed, 1 failed, 0 skipped"),
            ("echo nothing", "0 passed, 1 failed, 0 skipped"),
        ):
            with self.subTest(script=script):
                self.assertEqual(self.counted(script), (1, sums))

    def test_order_and_logs(self) -> None:
        """The first waits for the second."""
        first = "until [ -e ended ]; do sleep 0.01; done; echo why; echo 0 passed, 1 failed; exit 1"
        status, said = self.check(first, "touch ended; echo 1 passed, 0 failed")
        self.assertEqual(status, 1)
        self.assertEqual(said, ["FAILED test_0.sh", "why", "0 passed, 1 failed", "ok     test_1.sh", "1 passed, 1 failed, 0 skipped"])
        self.assertEqual((self.folder / "b/logs/test_0.sh.log").read_text(), "why\n0 passed, 1 failed\n")

    def test_scratch_files_are_where_they_are_told_to_be(self) -> None:
        said = self.check("echo $TMPDIR; mktemp -u; echo 0 passed, 1 failed", TMPDIR=str(self.folder))[1]
        self.assertEqual([said[1], said[2].rpartition("/")[0]], 2 * [str(self.folder)])

    def test_one_at_a_time(self) -> None:
        alone = "mkdir alone && sleep 0.05 && rmdir alone && echo 1 passed, 0 failed"
        self.assertEqual(self.check(*4 * [alone], jobs="-j1")[1][-1], "4 passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=2).result
    wrong = {getattr(test, "test_case", test) for test, _ in done.failures + done.errors}
    print(f"{done.testsRun - len(wrong)} passed, {len(wrong)} failed, 0 skipped")
    sys.exit(0 if done.wasSuccessful() else 1)
