"""Cases of a test that is a program: for each its name, and what is wrong with it."""

from __future__ import annotations


def report(cases: dict[str, list[str]]) -> int:
    """One line a case, ok or FAIL with what is wrong, and the count. Returns the exit status."""
    for name, wrong in cases.items():
        print(f"{'FAIL' if wrong else 'ok  '} {name}" + "".join(f"\n     | {line}" for line in wrong))
    failed = sum(1 for wrong in cases.values() if wrong)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0
