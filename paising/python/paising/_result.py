"""A result: the files that the command writes, read by the names of their columns."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

CHECKSUM = re.compile(rb"# crc32 ([0-9a-f]{8})\n\Z")


@dataclass(frozen=True)
class Population:
    """A saved population of R replicas of N spins."""

    beta: float  # inverse temperature, 1/J
    spins: np.ndarray  # int8, R x N, -1 and 1; on a lattice site = (z Ly + y) Lx + x
    energies: np.ndarray  # int64, R: of the whole lattice, in units of J
    families: np.ndarray  # uint32, R: the number of the family


class Result(Mapping[str, Any]):
    """The files of a result, by their names, as what they hold:

    - run.json: a dictionary;
    - a .dat file, also of histograms, states and couplings: a structured array with a row for each line and a field of float64 for
      each column, of the names in the file;
    - .npz: the same, but whole numbers are int64 where the file says so;
    - .npy: an array.

    A table that is cut off or altered raises ValueError.
    """

    def __init__(self, files: dict[str, bytes], text: str = "", stopped: bool = False, samples: Optional[dict[str, Result]] = None,
                 spins: Optional[np.ndarray] = None) -> None:
        self.files = files  # the bytes of each file, by its name
        self.text = text  # warnings, a line each; of a folder empty: the command has printed them
        self.stopped = stopped  # whether the run was ended before its last temperature
        self.samples = samples or {}  # results of the samples of a folder made with --samples, by their names
        self.spins = spins  # with spins=True the last population, int8, replicas x sites: -1 and 1, or states; None: there is none

    def __getitem__(self, name: str) -> Any:
        content = self.files[name]
        if name.endswith(".json"):
            return json.loads(content)
        if name.endswith(".npy"):
            return np.load(io.BytesIO(content), allow_pickle=False)
        if name.endswith(".npz"):
            return _archive(name, content)
        found = CHECKSUM.search(content)
        if found is None or int(found[1], 16) != zlib.crc32(content[: found.start()]):
            raise ValueError(f"{name} is cut off or altered: its checksum is another one")
        return _table(content.decode())

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        return f"<paising result: {', '.join([*self.files, *self.samples])}>"

    @property
    def json(self) -> dict[str, Any]:
        """What run.json says: parameters, the device, times."""
        return dict(self["run.json"])

    @property
    def table(self) -> np.ndarray:
        """The main table, a row for each temperature: averages over samples if there are several, else over runs if there
        are several, else of the run; of --ground-states a row for each run, or sample. Raises KeyError where there is none."""
        for kind in (".dat", ".npz"):
            several = f"PA_results_run_1{kind}" in self.files
            for name in ("PA_disorder_averages", "MC_disorder_averages", "MC_results", "FH_results", "MA_results", "PA_ground_states", "PA_ground_samples",
                         *(["PA_results_weighted"] if several else []), "PA_results_run_0"):
                if name + kind in self.files:
                    return np.asarray(self[name + kind])
        raise KeyError("the result has no table of results")

    def population(self, run: int = 0, beta: Optional[float] = None) -> Population:
        """The population of a run that --save-spins (save_spins=) has saved, at the inverse temperature beta [the last one].
        Raises KeyError where there is none."""
        saved = {float(found[1]): found[1] for name in self.files
                 if (found := re.fullmatch(rf"PA_spins_run_{run}_beta_(.*)\.npy", name))}
        if not saved or (beta is not None and beta not in saved):
            raise KeyError(f"no population of run {run} was saved" + ("" if beta is None else f" at beta = {beta}"))
        at = max(saved) if beta is None else beta
        packed, energies, families = (self[f"PA_{what}_run_{run}_beta_{saved[at]}.npy"] for what in ("spins", "energies", "families"))
        spins = np.unpackbits(packed, axis=1, bitorder="little", count=_sites(self.json)).astype(np.int8)
        return Population(at, 2 * spins - 1, energies, families)


class Failed(RuntimeError):
    """A simulation failed after it had begun: memory, the device, a population that died out. The text is the library's; `result`
    has the rows so far."""

    def __init__(self, text: str, result: Result) -> None:
        super().__init__(text)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation; `result` has the rows so far."""

    def __init__(self, result: Result) -> None:
        super().__init__("the simulation was interrupted")
        self.result = result


def read(folder: Union[str, PathLike[str]]) -> Result:
    """Reads a folder that the command has written, with the folders of its samples. Raises FileNotFoundError where it holds no
    result."""
    top = Path(folder)
    names = sorted(path for path in top.iterdir() if path.is_file() and (path.suffix in (".dat", ".npy", ".npz") or path.name == "run.json"))
    samples = {path.name: read(path) for path in sorted(top.glob("sample_*")) if (path / "run.json").is_file()}
    if not names and not samples:
        raise FileNotFoundError(f"{top}: no result")
    files = {path.name: path.read_bytes() for path in names}
    stopped = bool("run.json" in files and json.loads(files["run.json"]).get("interrupted"))
    return Result(files, "", stopped, samples)


def _sites(said: dict[str, Any]) -> int:
    """The number of sites of the lattice or graph of run.json."""
    size, model = said["parameters"].get("size"), said["parameters"].get("model")
    if size is None:
        return int(re.search(r"(\d+) sites?", said["couplings"]["read_as"])[1])  # type: ignore[index]
    edges = [int(edge) for edge in str(size).split("x")]
    return math.prod(edges) if len(edges) > 1 else edges[0] ** (3 if model in ("cubic", "glass3d") else 2)


def _archive(name: str, content: bytes) -> np.ndarray:
    """The columns of an archive of --format npz."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            columns = {column: archive[column] for column in archive.files if column != "header"}
    except zipfile.BadZipFile as error:
        raise ValueError(f"{name} is cut off or altered: {error}") from error
    table = np.empty(len(next(iter(columns.values()))), dtype=[(column, values.dtype) for column, values in columns.items()])
    for column, values in columns.items():
        table[column] = values
    return table


def _table(text: str) -> np.ndarray:
    """A table: the last line that begins with # before the rows names the columns."""
    lines = text.splitlines()[:-1]  # the last one is the checksum
    first = next((n for n, line in enumerate(lines) if line and not line.startswith("#")), len(lines))
    names = next(line for line in reversed(lines[:first]) if line.startswith("#"))[1:].split()
    rows = [tuple(map(float, line.split())) for line in lines[first:] if line and not line.startswith("#")]
    return np.array(rows, dtype=[(name, float) for name in names])
