#!/usr/bin/env python3
"""The crossings that critical.py finds are those of curves that have one: of XY by the form of Weber and Minnhagen, of Heisenberg by
straight lines. False alarm: 1e-6 for each (4.9 errors). Planted faults: curves that are shifted by 1 %, or that do not cross."""

import math
import random
import sys
import unittest

sys.dont_write_bytecode = True
import critical  # noqa: E402

BETAS = [1.08 + 0.03 * k for k in range(5)]


def stiffness(edge: int, beta: float, at: float) -> float:
    """That of a size: at beta = `at` by the form with C = 1.8, and beside it on a line whose slope grows with the size."""
    jump = 2 / (math.pi * at) * (1 + 1 / (2 * (math.log(edge) + 1.8)))
    return jump + (1.2 + 0.5 * math.log(edge)) * (beta - at)


def curve(edge: int, betas: list[float], values: list[float], error: float) -> critical.Curve:
    """Values with random errors."""
    dice = random.Random(edge)
    return critical.Curve(edge, betas, [dice.gauss(value, error) for value in values], [error] * len(values))


class Crossings(unittest.TestCase):
    def of_stiffness(self, at: float) -> tuple[float, float]:
        pair = [curve(edge, BETAS, [stiffness(edge, beta, at) for beta in BETAS], 0.0003) for edge in (16, 64)]
        return critical.crossing("xy2d", pair[0], pair[1])

    def test_stiffness(self) -> None:
        mean, error = self.of_stiffness(1.12)
        self.assertLess(abs(mean - 1.12), 4.9 * error)
        self.assertLess(error, 0.002)
        shifted, error = self.of_stiffness(1.12 * 1.01)
        self.assertGreater(abs(shifted - 1.12), 4.9 * error)

    def test_lines(self) -> None:
        betas = [0.68 + 0.006 * k for k in range(5)]
        pair = [curve(edge, betas, [0.62 + edge * (beta - 0.693) for beta in betas], 0.0005) for edge in (8, 16)]
        mean, error = critical.crossing("heisenberg3d", pair[0], pair[1])
        self.assertLess(abs(mean - 0.693), 4.9 * error)
        self.assertLess(error, 0.0005)

    def test_no_crossing(self) -> None:
        betas = [0.68 + 0.006 * k for k in range(5)]
        pair = [curve(edge, betas, [0.6 + 0.01 * edge + beta for beta in betas], 0.0005) for edge in (8, 16)]
        self.assertTrue(math.isnan(critical.crossing("heisenberg3d", pair[0], pair[1])[0]))


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=2).result
    wrong = len(done.failures) + len(done.errors)
    print(f"{done.testsRun - wrong} passed, {wrong} failed")
    sys.exit(0 if done.wasSuccessful() else 1)
