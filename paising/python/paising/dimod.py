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

# The largest denominator that biases may have, as in files of --graph.
LARGEST_UNIT = 10**8
LARGEST = 2**31


class Sampler(dimod.Sampler):
    """Population annealing of a binary quadratic model of dimod: the population at the last temperature."""

    # Those that most callers need; sample() takes every option of paising.anneal.
    parameters: dict[str, list[str]] = {name: [] for name in ("num_reads", "beta_end", "sweeps", "seed", "device")}
    properties: dict[str, Any] = {"description": "population annealing by libpaising", "largest_number_of_levels": 2**20}

    def sample(self, bqm: dimod.BinaryQuadraticModel, **parameters: Any) -> dimod.SampleSet:
        """Samples of exp(-beta E), E the energy of the model, at the last inverse temperature. They are one population: samples
        of a family have a common ancestor.

        num_reads  Samples, the population size, at least 50 [1000].

        beta_end   The last inverse temperature, in 1/energy of the model [3 over the unit of the biases].

        options    Those of paising.anneal, such as sweeps=100, seed=1 [sweeps=20, steps with the overlap 0.8 of eq. (8)].

        dimod's h and J are minus those of paising.anneal. They must be whole multiples of one unit, with at most 2^20 energy levels
        between the lowest and the highest energy; else ValueError. Biases of models of BINARY variables are those of the same model of spins.
        """
        reads, end = parameters.pop("num_reads", 1000), parameters.pop("beta_end", None)
        if not bqm.num_variables:
            return dimod.SampleSet.from_samples_bqm([], bqm)
        spins = bqm.change_vartype(dimod.SPIN, inplace=False)
        number = {variable: n for n, variable in enumerate(spins.variables)}
        unit, (fields, couplings) = _multiples(list(spins.linear.values()), list(spins.quadratic.values()))
        bonds = [(number[u], number[v], -J) for (u, v), J in zip(spins.quadratic, couplings)]
        last = 3.0 if end is None else end * float(unit)
        steps = {} if {"dbeta", "culling", "energy_step", "overlap"} & parameters.keys() else {"overlap": 0.8}
        options = {"sweeps": 20, "resampling": "systematic", **steps, **parameters}
        result = anneal(bonds or None, [-h for h in fields], population=reads, beta_end=last, save_spins=last, **options)
        found = result.population().spins
        return dimod.SampleSet.from_samples_bqm((found if bqm.vartype is dimod.SPIN else (found + 1) // 2, list(number)), bqm)


def _multiples(*biases: list[float]) -> tuple[Fraction, list[list[int]]]:
    """The largest unit of which all biases are whole multiples, and the multiples. Raises ValueError where there is none."""
    if not all(math.isfinite(bias) for each in biases for bias in each):
        raise ValueError("a bias is not finite")
    exact = [[Fraction(float(bias)).limit_denominator(LARGEST_UNIT) for bias in each] for each in biases]
    every = [fraction for each in exact for fraction in each if fraction]
    if not every:
        return Fraction(1), [[0] * len(each) for each in biases]
    denominator = math.lcm(*(fraction.denominator for fraction in every))
    unit = Fraction(math.gcd(*(int(fraction * denominator) for fraction in every)), denominator)
    whole = [[int(fraction / unit) for fraction in each] for each in exact]
    near = all(np.isclose(float(unit) * n, bias, rtol=1e-12, atol=0) for each, given in zip(whole, biases) for n, bias in zip(each, given))
    if not near or sum(abs(n) for each in whole for n in each) >= LARGEST:
        raise ValueError("the biases are no whole multiples of one unit: round them to multiples of a number")
    return unit, whole
