#!/usr/bin/env python3
"""Prints exact_values.txt: Kaufman's partition function as the textbooks write it, in 150 digits.

Needs mpmath. Nothing is rearranged and nothing is derived: ln Z is evaluated at beta and at
beta +- 1e-40, and differences give its derivatives. So it shares neither formulas nor derivatives
with reference/exact.c.
"""

import argparse

from mpmath import mp, mpf

mp.dps = 150
STEP = mpf(10) ** -40
BETA_C = float(mp.asinh(1) / 2)
SIZES = [4, 6, 10, 16, 64, 128, 1000, 1024]
BETAS = [0.001, 0.01, 0.2, 0.44, 0.4407, BETA_C - 1e-9, BETA_C, BETA_C + 1e-9, 0.5, 1.0, 1.5, 2.0]


def ln_z(size, beta):
    """Kaufman (1949); gamma_0 = 2 beta + ln tanh beta carries its sign."""
    ring = mp.cosh(2 * beta) * mp.coth(2 * beta)
    cosh, sinh = [mpf(1), mpf(1)], [mpf(1), mpf(1)]
    for mode in range(size + 1):
        if mode == 0:
            gamma = 2 * beta + mp.log(mp.tanh(beta))
        else:
            gamma = mp.acosh(ring - mp.cos(mp.pi * mode / size))
        times = 1 if mode in (0, size) else 2  # mode and 2 size - mode are equal
        grown = mp.exp(size * gamma / 2)
        cosh[mode % 2] *= (grown + 1 / grown) ** times
        sinh[mode % 2] *= (grown - 1 / grown) ** times
    total = cosh[1] + sinh[1] + cosh[0] + sinh[0]
    return mp.log(total / 2) + mpf(size * size) / 2 * mp.log(2 * mp.sinh(2 * beta))


def row(size, beta):
    spins, at = size * size, mpf(beta)
    below, here, above = (ln_z(size, at + k * STEP) for k in (-1, 0, 1))
    e = -(above - below) / (2 * STEP) / spins
    c = at**2 * (above - 2 * here + below) / STEP**2 / spins
    beta_f = -here / spins
    values = (e, c, beta_f, at * e - beta_f)
    return f"{size} {beta!r} " + " ".join(mp.nstr(x, 25, min_fixed=0, max_fixed=0) for x in values)


argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
print("# Exact values of the L x L periodic Ising lattice, to 25 digits: Kaufman's partition function")
print("# in 150-digit arithmetic (mpmath), derivatives by differences. Made by validate/unit/exact_values.py.")
print("# beta stands for the nearest double.")
print("# L beta e C betaF/N S/N")
for size in SIZES:
    for beta in BETAS:
        print(row(size, beta), flush=True)
