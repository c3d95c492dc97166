"""A sampler for dimod, which must be installed:

    import dimod, paising.dimod
    samples = paising.dimod.Sampler().sample(dimod.BinaryQuadraticModel({}, {"ab": 1, "bc": 1, "ca": 1}, "SPIN"), num_reads=1000)
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import dimod
import numpy as np

from ._anneal import anneal

# Biases that are whole multiples of a unit, whose denominator and numerators are no larger, have exact energies.
LARGEST_DENOMINATOR = 10**4
LARGEST_SUM = 2**19
# Others are divided by a unit, so that these numbers are not exceeded: |J| and |h| of a site, and of the model (--graph).
LARGEST_SITE = 20
LARGEST_MODEL = 1e5
DECIMALS = 8  # of numbers in units


class Sampler(dimod.Sampler):
    """Population annealing of a binary quadratic model of dimod: the population at the last temperature."""

    # Those that most callers need; sample() takes every option of paising.anneal.
    parameters: dict[str, list[str]] = {name: [] for name in ("num_reads", "beta_end", "sweeps", "seed", "device")}
    properties: dict[str, Any] = {"description": "population annealing by libpaising", "largest_sum_of_multiples": LARGEST_SUM}

    def sample(self, bqm: dimod.BinaryQuadraticModel, **parameters: Any) -> dimod.SampleSet:
        """Samples of exp(-beta E), E the energy of the model, at the last inverse temperature. They are one population: samples
        of a family have a common ancestor.

        num_reads  Samples, the population size, at least 50 [1000].

        beta_end   The last inverse temperature, in 1/energy of the model [3 over the unit of the biases; without
                   one 10 over the root of the mean, over variables, of sum J^2 + h^2].

        options    Those of paising.anneal, such as sweeps=100, seed=1 [sweeps=20, steps with the overlap 0.8 of eq. (8)].

        dimod's h and J are minus those of paising.anneal. Biases without a common unit are rounded to multiples of about 5e-10 times the
        largest sum of |J| and |h| at a variable. The logarithm of a weight exp(-beta E) changes by less than 1e-5 for each bias. ValueError if
        one is not finite. Biases of models of BINARY variables are those of the same model of spins.
        """
        reads, end = parameters.pop("num_reads", 1000), parameters.pop("beta_end", None)
        if not bqm.num_variables:
            return dimod.SampleSet.from_samples_bqm([], bqm)
        spins = bqm.change_vartype(dimod.SPIN, inplace=False)
        number = {variable: n for n, variable in enumerate(spins.variables)}
        unit, whole, last = _units(spins)
        in_units = [-bias / unit for bias in (*spins.quadratic.values(), *spins.linear.values())]
        biases = [round(bias) if whole else round(bias, DECIMALS) for bias in in_units]
        last = last if end is None else end * unit
        bonds = [(number[u], number[v], J) for (u, v), J in zip(spins.quadratic, biases)]
        steps = {} if {"dbeta", "culling", "energy_step", "overlap"} & parameters.keys() else {"overlap": 0.8}
        options = {"sweeps": 20, "resampling": "systematic", **steps, **parameters}
        result = anneal(bonds or None, biases[len(bonds) :], population=reads, beta_end=last, save_spins=last, **options)
        found = result.population().spins
        return dimod.SampleSet.from_samples_bqm((found if bqm.vartype is dimod.SPIN else (found + 1) // 2, list(number)), bqm)


def _units(spins: dimod.BinaryQuadraticModel) -> tuple[float, bool, float]:
    """A unit of the biases, whether all are whole multiples of it, and the last inverse temperature, in 1/unit."""
    every = [bias for bias in (*spins.quadratic.values(), *spins.linear.values()) if bias]
    if not all(map(math.isfinite, every)):
        raise ValueError("a bias is not finite")
    if not every:
        return 1.0, True, 3.0
    common = _common(every)
    if sum(map(abs, every)) < LARGEST_SUM * common:
        return common, True, 3.0
    of_site = {variable: abs(bias) for variable, bias in spins.linear.items()}
    for (u, v), bias in spins.quadratic.items():
        of_site[u] += abs(bias)
        of_site[v] += abs(bias)
    unit = max(max(of_site.values()) / LARGEST_SITE, sum(map(abs, every)) / LARGEST_MODEL)
    squares = sum(bias**2 for bias in spins.linear.values()) + 2 * sum(bias**2 for bias in spins.quadratic.values())
    return unit, False, 10 * unit / math.sqrt(squares / spins.num_variables)


def _common(biases: list[float]) -> float:
    """The largest number of which all biases are whole multiples; 0: there is none that is large enough."""
    least = min(map(abs, biases))
    if max(map(abs, biases)) > LARGEST_SUM * least:
        return 0.0
    exact = [Fraction(bias / least).limit_denominator(LARGEST_DENOMINATOR) for bias in biases]
    if not np.allclose([float(fraction) * least for fraction in exact], biases, rtol=1e-12, atol=0):
        return 0.0
    denominator = math.lcm(*(fraction.denominator for fraction in exact))
    return least * float(Fraction(math.gcd(*(int(fraction * denominator) for fraction in exact)), denominator))
