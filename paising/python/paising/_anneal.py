"""A simulation by the library."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import Any, Callable, Optional

import numpy as np

from ._library import FAILED, OK, Handle
from ._result import Failed, Interrupted, Result

# Options whose file may be given as an array: a row of the array is a line of the file.
TABLES = ("betas", "sweeps_file", "relaxation")
LATTICES = {2: "glass2d", 3: "glass3d"}
# Real couplings of a lattice are multiples of 1 / FINE_UNIT, as those of a file become.
FINE_UNIT = 2**20


def anneal(
    J: Any = None,
    h: Any = None,
    *,
    L: Any = None,
    R: Optional[int] = None,
    theta: Optional[int] = None,
    progress: Optional[Callable[[float], object]] = None,
    spins: bool = False,
    **options: Any,
) -> Result:
    """Makes the simulation that the command `paising` makes with these options, with the same numbers, and returns its result.

    The Hamiltonian is H = -sum_(ij) J_ij s_i s_j - sum_i h_i s_i with s_i = +1 or -1: J > 0 favours parallel spins. Energies
    are in units of J, inverse temperatures in 1/J.

    J, h       couplings and fields, in arrays of any type. Either
               - an n x 3 array of rows (i, j, J), sites from 0, for any graph; with model="glass2d" or "glass3d" and L, for the
                 bonds of this lattice.
               - An array J[d, y, x] or J[d, z, y, x] for a lattice, where 0 is a missing bond. Its shape says the edges. J[0], J[1]
                 and J[2] have the bonds that lead to x + 1, y + 1 and z + 1.

               Whole numbers are exact, and below 1e15; on a lattice they are -1 and 1. Others are rounded to 8 decimals, which the text of
               the result says; one that would become 0 is refused. On a lattice, which then has couplings_type="real", they are from
               -128 to 128 and rounded to a multiple of 2^-20.

               h[i] is the field at site i of a graph. Fields on a lattice are the options field and random_field.

    L, R, theta  The options size, population and sweeps. L is an edge, or edges like (8, 8, 12) in the order x, y, z.

    progress   Called with the inverse temperature that the run has come to. A true value ends the run, with the rows so far.

    spins      True: the spins of the last population become the result's `spins`, an int8 array of replicas x sites: -1 and 1, or the
               states of a model of more. Of methods with several temperatures it has those of the first, then of the next.

    options    All other long options of the command, _ for -: beta_end=2, dbeta=0.01, coding="ssc", runs=4, reweight=True.
               True gives an option without value; None and False do not give it. betas, sweeps_file and relaxation take
               an array in place of a file, a row for a line.

    checkpoint="FILE" keeps a run that is interrupted, or with checkpoint_every one that is killed; resume="FILE", with the same J and h, goes
    on with it. The result then is that of a run without interruption.

    The run goes on in a thread, without the interpreter's lock. Ctrl-C ends it at the next temperature, or in a long step, by the
    exception Interrupted. Raises Refused (a ValueError) before work has begun, Failed afterwards. Interrupted and Failed have the rows so far
    as their `result`.
    """
    for short, name, value in (("L", "size", L), ("R", "population", R), ("theta", "sweeps", theta)):
        if value is not None and options.get(name) is not None:
            raise ValueError(f"{short} and {name} are the same")
        if value is not None:
            options[name] = value
    bonds = _bonds(J, h, options)
    handle = Handle()
    with ExitStack() as files:
        for name, value in sorted(options.items(), key=lambda option: option[0] != "resume"):  # which the library takes first
            text = _table(name, value, files) if name in TABLES and not isinstance(value, (str, os.PathLike, type(None))) else value
            if text is not None and text is not False:
                handle.set(name.replace("_", "-"), None if text is True else _text(text, "x" if name == "size" else ","))
        handle.bonds(bonds)
        if spins:
            handle.keep_spins()
        return _run(handle, progress)


def _run(handle: Handle, progress: Optional[Callable[[float], object]]) -> Result:
    """Runs a handle in a thread, and waits where Ctrl-C is heard. What is raised there is raised here."""
    ended: list[int] = []
    raised: list[BaseException] = []
    done = threading.Event()

    def report(beta: float) -> None:
        try:
            if progress is not None and not raised and progress(beta):
                handle.stop()
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)
            handle.stop()

    def run() -> None:
        try:
            ended.append(handle.run(report if progress is not None else None))
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="paising")
    thread.start()
    interrupted = False
    while not done.is_set():
        try:
            done.wait(0.05)
        except KeyboardInterrupt:
            handle.stop()
            if interrupted:
                raise
            interrupted = True
    if raised:
        raise raised[0]
    result = Result(handle.files(), handle.text(), ended[0] != OK, spins=handle.spins())
    if ended[0] == FAILED:
        raise Failed(handle.text().rstrip(), result)
    if interrupted:
        raise Interrupted(result)
    return result


def _text(value: Any, between: str = ",") -> str:
    """The value of an option as the command takes it; between: what stands between several."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return between.join(_text(each) for each in value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _table(name: str, value: Any, files: ExitStack) -> str:
    """The name of a file in memory with the rows of an array, all digits of each number."""
    rows = np.asarray(value, dtype=float)
    if rows.ndim not in (1, 2):
        raise ValueError(f"{name}: an array of {rows.ndim} dimensions, where one or two are needed")
    if rows.size == 0:
        raise ValueError(f"{name}: an array without numbers, where one row at least is needed")
    file = files.enter_context(os.fdopen(os.memfd_create("paising"), "w"))
    for row in rows.reshape(len(rows), -1).tolist():
        file.write(" ".join(map(repr, row)) + "\n")
    file.flush()
    return f"/proc/self/fd/{file.fileno()}"


def _numbers(what: str, values: Any) -> np.ndarray:
    """An array of 64-bit integers if all are whole, else of doubles. Raises ValueError where a number would be another one."""
    given = np.asarray(values)
    if given.dtype.kind not in "iufb":
        raise ValueError(f"{what}: an array of {given.dtype}, where numbers are needed")
    with np.errstate(invalid="ignore"):
        whole = given.astype(np.int64)
    if np.array_equal(whole, given):
        return whole
    if given.dtype.kind != "f" or not np.isfinite(given).all():
        raise ValueError(f"{what}: finite numbers, or whole ones of at most 64 bits")
    return given.astype(float)


def _bonds(J: Any, h: Any, options: dict[str, Any]) -> list[list[Any]]:
    """The rows (i, j, J) of all couplings and fields. Sets model and size where an array says the lattice."""
    rows: list[list[Any]] = []
    couplings = None if J is None else _numbers("J", J)
    if couplings is not None and couplings.ndim in (3, 4):
        rows += _bonds_of_lattice(couplings, options)
    elif couplings is not None:
        if couplings.ndim != 2 or couplings.shape[1] != 3:
            raise ValueError(f"J has the shape {couplings.shape}: neither n x 3 (i, j, J) nor an array for each direction of a lattice")
        if couplings.size and couplings[:, :2].min() < 0:
            raise ValueError("J: sites are counted from 0")
        if (couplings[:, 0] == couplings[:, 1]).any():
            raise ValueError("J: a bond joins a site to itself; fields are given by h")
        if options.get("size") is not None and options.get("model") is None:
            raise ValueError('rows (i, j, J) with L: say which lattice, model="glass2d" or model="glass3d"')
        sites = couplings[:, :2].astype(np.int64)
        if not np.array_equal(sites, couplings[:, :2]):
            raise ValueError("J: a site is no whole number")
        rows += [[i, j, value] for (i, j), value in zip(sites.tolist(), couplings[:, 2].tolist())]
    if couplings is not None and couplings.dtype.kind == "f" and options.get("model") is not None:
        options.setdefault("couplings_type", "real")
    if h is not None:
        fields = _numbers("h", h)
        if fields.ndim != 1:
            raise ValueError(f"h has the shape {fields.shape}, where one number for each site is needed")
        rows += [[site, site, field] for site, field in enumerate(fields.tolist())]
    return rows


def _bonds_of_lattice(couplings: np.ndarray, options: dict[str, Any]) -> list[list[Any]]:
    """The rows (i, j, J) of an array J[direction, (z,) y, x]."""
    dimensions = couplings.ndim - 1
    shape = couplings.shape[1:]
    if couplings.shape[0] != dimensions:
        raise ValueError(f"J has the shape {couplings.shape}: the first number is that of the directions, {dimensions}")
    edges = "x".join(str(edge) for edge in reversed(shape))
    for name, value in (("model", LATTICES[dimensions]), ("size", edges)):
        given = options.get(name)
        same = given is None or _text(given, "x") in ((value, str(shape[0])) if len(set(shape)) == 1 else (value,))
        if not same:
            raise ValueError(f"{name} {_text(given, 'x')}: the array J is of {value}")
        options[name] = value
    if couplings.dtype.kind == "f":
        couplings = np.floor(couplings * FINE_UNIT + 0.5) / FINE_UNIT
    sites = np.arange(np.prod(shape)).reshape(shape)
    rows: list[list[Any]] = []
    for direction in range(dimensions):
        ends = np.roll(sites, -1, axis=dimensions - 1 - direction)
        rows += map(list, zip(sites.ravel().tolist(), ends.ravel().tolist(), couplings[direction].ravel().tolist()))
    return rows
