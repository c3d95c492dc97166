"""libpaising by ctypes: a handle (paising.h) as an object."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, Sequence

import numpy as np

OK, FAILED, REFUSED, STOPPED = range(4)
Progress = Callable[[float], object]
_PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_double)


class Refused(ValueError):
    """A setting, a value or a coupling is wrong. The text is the library's. Nothing was simulated."""


def _load_openmp() -> None:
    """Where the system has no OpenMP, loads the copy in the package, which the library finds by its name."""
    copy = Path(__file__).with_name("libgomp.so.1")
    try:
        ctypes.CDLL(copy.name)
    except OSError:
        if copy.is_file():
            ctypes.CDLL(str(copy))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library: the one in the package, or the file that the environment variable PAISING_LIBRARY names."""
    path = os.environ.get("PAISING_LIBRARY") or str(Path(__file__).with_name("libpaising.so"))
    _load_openmp()
    loaded = ctypes.CDLL(path)
    for name, result, arguments in (
        ("new", c_void_p, []),
        ("free", None, [c_void_p]),
        ("version", c_char_p, []),
        ("set", c_int, [c_void_p, c_char_p, c_char_p]),
        ("bond", c_int, [c_void_p, c_uint64, c_uint64, c_int64]),
        ("bond_real", c_int, [c_void_p, c_uint64, c_uint64, c_double]),
        ("keep_spins", None, [c_void_p]),
        ("run", c_int, [c_void_p, _PROGRESS, c_void_p]),
        ("stop", None, [c_void_p]),
        ("text", c_char_p, [c_void_p]),
        ("files", c_size_t, [c_void_p]),
        ("file_name", c_char_p, [c_void_p, c_size_t]),
        ("file", c_void_p, [c_void_p, c_char_p, POINTER(c_size_t)]),
        ("replicas", c_size_t, [c_void_p]),
        ("sites", c_size_t, [c_void_p]),
        ("spins", c_size_t, [c_void_p, c_size_t, c_size_t, c_void_p]),
    ):
        function = getattr(loaded, f"paising_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


def version() -> str:
    """The version of the library."""
    return os.fsdecode(library().paising_version())


class Handle:
    """A handle of the library. One thread at a time may use it, but for stop()."""

    def __init__(self) -> None:
        self._library = library()
        self._handle = c_void_p(self._library.paising_new())
        if not self._handle:
            raise MemoryError("no memory for a simulation")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.paising_free(self._handle)

    def _check(self, status: int) -> None:
        if status == REFUSED:
            raise Refused(self.text().rstrip())

    def set(self, name: str, value: Optional[str]) -> None:
        """Sets the option --name; None for an option without a value. Raises Refused."""
        self._check(self._library.paising_set(self._handle, os.fsencode(name), None if value is None else os.fsencode(value)))

    def bonds(self, bonds: Iterable[Sequence[Any]]) -> None:
        """Adds bonds (i, j, J), or fields where i = j. i and j are from 0 to 2^64 - 1, J is an int of 64 bits or a float. Raises Refused."""
        whole, real, handle = self._library.paising_bond, self._library.paising_bond_real, self._handle
        for i, j, coupling in bonds:
            status = (real if isinstance(coupling, float) else whole)(handle, i, j, coupling)
            if status:
                self._check(status)

    def keep_spins(self) -> None:
        """Has a run keep the spins of its last population."""
        self._library.paising_keep_spins(self._handle)

    def run(self, progress: Optional[Progress]) -> int:
        """Runs the simulation, without the interpreter's lock. progress(beta) is called at each temperature.
        Returns OK, FAILED, or STOPPED if stop() has ended the run. Raises Refused."""
        call = _PROGRESS() if progress is None else _PROGRESS(lambda _state, beta: progress(beta))
        status = self._library.paising_run(self._handle, call, None)
        self._check(status)
        return int(status)

    def stop(self) -> None:
        """Ends the run at the next temperature, or in a long step of annealing. For any thread."""
        self._library.paising_stop(self._handle)

    def text(self) -> str:
        """Warnings, or why something was refused, a line each."""
        return os.fsdecode(self._library.paising_text(self._handle))

    def files(self) -> dict[str, bytes]:
        """The files of the result, by their names."""
        found, size = {}, c_size_t()
        for n in range(self._library.paising_files(self._handle)):
            name = self._library.paising_file_name(self._handle, n)
            start = self._library.paising_file(self._handle, name, ctypes.byref(size))
            found[os.fsdecode(name)] = ctypes.string_at(start, size.value)
        return found

    def spins(self) -> Optional[np.ndarray]:
        """The spins of the last population, int8, replicas x sites; None: they were not kept, or there are none."""
        shape = self._library.paising_replicas(self._handle), self._library.paising_sites(self._handle)
        if shape[0] == 0:
            return None
        spins = np.empty(shape, dtype=np.int8)
        self._library.paising_spins(self._handle, 0, shape[0], spins.ctypes.data)
        return spins
