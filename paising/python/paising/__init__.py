"""Monte Carlo simulation of spin models by libpaising: simulations, and results, as numpy arrays.

    import paising
    result = paising.anneal(L=32, R=10000, theta=10)    # a simulation, with the numbers of the command `paising`
    result = paising.read("folder")                     # or a result that the command has written
    result.table["e"]                                   # the energy per spin at each temperature
"""

from ._anneal import anneal
from ._library import Refused, version
from ._plot import plot
from ._result import Failed, Interrupted, Population, Result, read

__all__ = ["Failed", "Interrupted", "Population", "Refused", "Result", "anneal", "plot", "read", "version"]
