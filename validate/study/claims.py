"""Claims: what theory predicts beside what was measured, as z-scores that are held against one limit.

All z-scores of a study together exceed it by chance with a probability of FALSE_ALARM at most (Bonferroni, whatever
their correlation). A control is a claim that is false, because a fault was planted: it must be refuted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

FALSE_ALARM = 1e-6


def z_of_student(t: float, freedom: float) -> float:
    """The z-score as improbable as Student's t (D. L. Wallace, 1959)."""
    z = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(z, t)


def z_limit(comparisons: int) -> float:
    """The |z| that the largest of so many exceeds with a probability of FALSE_ALARM at most."""
    low, high = 0.0, 30.0
    while high - low > 1e-9:
        z = (low + high) / 2
        if comparisons * math.erfc(z / math.sqrt(2)) > FALSE_ALARM:
            low = z
        else:
            high = z
    return high


@dataclass(frozen=True)
class Claim:
    """A statement: with a z-score, or one that holds or not whatever chance does."""

    text: str
    z: Optional[float] = None
    holds: bool = True  # without a z-score
    one_sided: bool = False  # only z above 0 speaks against it
    control: bool = False

    def refuted(self, limit: float) -> bool:
        """Whether what was measured speaks against it; what is not finite does."""
        if self.z is None:
            return not self.holds
        if not math.isfinite(self.z):
            return True
        return (self.z if self.one_sided else abs(self.z)) > limit

    def good(self, limit: float) -> bool:
        """Whether it is as it should be."""
        return self.refuted(limit) == self.control

    def line(self, limit: float) -> str:
        """For the verdict."""
        what = "refuted" if self.refuted(limit) else "holds"
        z = "" if self.z is None else f" (z = {self.z:.1f})"
        verdict = "ok" if self.good(limit) else "FAIL"
        return f"- {verdict}: {'control, must be refuted: ' if self.control else ''}{self.text}: {what}{z}"


def equals(text: str, measured: tuple[float, float], expected: float, runs: float, **more: bool) -> Claim:
    """That a mean over so many runs, with its error from their scatter, is the expected value."""
    mean, error = measured
    z = z_of_student((mean - expected) / error, runs - 1) if error > 0 else math.nan
    return Claim(f"{text}: {mean:.5g} +- {error:.2g}, expected {expected:.5g}", z, **more)


def agree(text: str, a: tuple[float, float], b: tuple[float, float], **more: bool) -> Claim:
    """That two independent means are equal."""
    error = math.hypot(a[1], b[1])
    z = (a[0] - b[0]) / error if error > 0 else math.nan
    return Claim(f"{text}: {a[0]:.5g} +- {a[1]:.2g} and {b[0]:.5g} +- {b[1]:.2g}", z, **more)


def at_most(text: str, a: tuple[float, float], b: tuple[float, float], **more: bool) -> Claim:
    """That the first of two independent means is not larger."""
    error = math.hypot(a[1], b[1])
    z = (a[0] - b[0]) / error if error > 0 else math.nan
    return Claim(f"{text}: {a[0]:.5g} +- {a[1]:.2g} and {b[0]:.5g} +- {b[1]:.2g}", z, one_sided=True, **more)
