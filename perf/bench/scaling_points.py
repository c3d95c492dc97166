"""What is measured of populations that are divided among ranks, and what must be the same bytes as one process's.

Weak scaling: the same population for each rank. Strong scaling: the same population in all. Points of one comparison
have the same temperatures, so that a flip costs the same, and each point is measured once, whatever it is for. Where
there is no GPU, one process of as many threads stands beside the ranks.
"""

from __future__ import annotations

from typing import NamedTuple

from bench.points import DBETA, sites_of

MOST_STEPS = 100
LEAST_STEPS = 10
PROCESS_SECONDS = {"gpu": (1.0, 0.2), "cpu": (0.5, 0.2)}  # to start and to end: of a run, and of each rank


class ScalingPoint(NamedTuple):
    """A run: its parameters, and which comparisons it is for."""

    id: str
    model: str
    L: int
    R: int
    theta: int
    ranks: int
    threads: int  # of one process, instead of ranks; 0: it is not about threads
    beta_end: str
    runs: int
    sets: str  # weak, strong, or both
    seconds: float  # of a run, about


class Profile(NamedTuple):
    """The points of a kind of machine."""

    sizes: tuple[int, ...]
    thetas: tuple[int, ...]
    weak: int  # replicas a rank
    strong: int  # replicas in all
    series: tuple[int, ...]  # other populations of strong scaling, at the first size and theta = 10
    glass: int  # replicas a rank of the cubic glass
    ps_a_flip: float
    ps_a_spin: float  # beside the sweeps
    step: float  # seconds, beside the spins
    seconds: float  # of one rank's run, about


PROFILES = {
    "gpu": Profile((64, 128), (1, 10, 100), 10**5, 10**6, (10**4, 10**5, 10**7, 10**8), 10**5, 0.13, 0.4, 5e-5, 1.0),
    "cpu": Profile((64,), (1, 10, 100), 2048, 8192, (512, 32768), 4096, 130, 300, 1e-4, 0.6),
    "tiny": Profile((16,), (1, 10), 128, 256, (64,), 64, 130, 300, 1e-4, 0.01),
}


def list_scaling(profile: str, ranks: list[int], threads: bool) -> list[ScalingPoint]:
    """The points of a profile for these numbers of ranks, 1 among them, with threads beside them if asked for; what
    has a target first, and that three times."""
    p = PROFILES[profile]
    start, each = PROCESS_SECONDS["gpu" if profile == "gpu" else "cpu"]
    points: dict[str, ScalingPoint] = {}

    def add(name: str, model: str, L: int, R: int, theta: int, runs: int) -> None:
        """A comparison of R replicas a rank, or with `strong` in all: as many steps as one rank makes in some seconds."""
        spins = float(sites_of(model, L) * R)
        step = spins * (theta * p.ps_a_flip + p.ps_a_spin) * 1e-12 + p.step
        steps = min(max(int(p.seconds / step), LEAST_STEPS), MOST_STEPS)
        beta_end = f"{DBETA * steps:.6g}"
        for count in ranks:
            population = R if name == "strong" else R * count
            for way in ("P", "T") if threads and count > 1 else ("P",):
                id_ = f"{model}-L{L}-R{population}-t{theta}-b{beta_end}-{way}{count}"
                seconds = start + (each * count if way == "P" else 0) + steps * step * population / R / count
                old = points.get(id_)
                points[id_] = ScalingPoint(
                    id_, model, L, population, theta, count if way == "P" else 1, count if way == "T" else 0, beta_end,
                    max(runs, old.runs if old else 0), f"{old.sets},{name}" if old else name, seconds)

    def both(L: int, theta: int) -> None:
        runs = 3 if theta <= 10 else 1
        short = 9 if theta == 1 and profile == "gpu" else runs  # 14 ms, in which hosts differ from run to run
        add("weak", "square", L, p.weak, theta, short)
        add("strong", "square", L, p.strong, theta, runs)

    for theta in sorted(p.thetas, key=lambda t: (t == 100, -t)):
        for L in p.sizes:
            both(L, theta)
    add("weak", "glass3d", 10 if profile != "tiny" else 4, p.glass, 10, 1)
    for R in p.series:
        add("strong", "square", p.sizes[0], R, 10, 1)
    return list(points.values())


# Option sets of small populations, each made by one process and by all ranks. They cover models, codings, word sizes,
# modes, methods, schedules, several runs and samples, and the multi-histogram analysis. Hard cases: R is no multiple of the
# words; there are fewer words than ranks; most replicas move; a population dies out on some ranks.
IDENTITY = (
    "-L 32 -R 3000 -t 5 -d 0.02",
    "-L 64 -R 1000 -t 2 -d 0.02 -f 0.6 -s 3",
    "-L 16 -R 20001 -t 1 -d 0.05",
    "-L 16 -R 33 -t 2 -d 0.05",
    "-L 128 -R 500 -t 1 -d 0.02 -f 0.5",
    "-L 16 -R 4000 -t 3 -a 0.85 -M 2",
    "-L 16 -R 5000 -t 4 -d 0.05 -M 3 -m",
    "-L 32 -R 2000 -t 1 -d 0.2 -s 5",
    "-L 16 -R 1000 -t 2 -p 8 -d 0.05",
    "-L 16 -R 1000 -t 2 -p 64 -d 0.05",
    "-L 16 -R 999 -t 2 -g philox -d 0.05",
    "-L 16 -R 999 -t 2 -g shared -d 0.05",
    "-c ssc -L 12 -R 3001 -t 3 -d 0.05",
    "-c ssc -L 30 -R 500 -t 2 -a 0.8",
    "--model cubic -L 6 -R 2000 -t 3 -d 0.02 -f 0.5",
    "--model cubic -c ssc -L 4x6x8 -R 1001 -t 2 -d 0.02 -f 0.5",
    "--model glass2d -L 16 -R 2500 -t 3 -d 0.05 -f 2 --disorder 7",
    "--model glass3d -L 6 -R 3000 -t 3 -d 0.05 -f 1.5",
    "--model glass3d -L 4 -R 500 -t 5 -d 0.05 --samples 3",
    "--model glass3d -c ssc -L 4x4x6 -R 1003 -t 2 -d 0.1 -f 1.5 --disorder 3 --ferromagnetic 0.7",
    "--model glass3d --couplings-type gaussian -c ssc -L 4 -R 1001 -t 1 -d 0.1 -f 1 -m",
    "--model glass3d --couplings-type gaussian -c ssc -L 4 -R 64 --method tempering -b 0.2 -d 0.2 --measurements 20",
    "-c ssc -L 15 -R 1001 -t 2 -d 0.05 -m",
    "--model glass3d --field 1/3 -c ssc -L 4 -R 1001 -t 2 -d 0.1 -f 1.5",
    "--method microcanonical -c ssc -L 8 -R 1001 -t 2 -M 2",
    "--model heisenberg3d -c ssc -L 4x6x8 -R 1001 -t 2 -d 0.1 -f 1",
    "--model xy-glass3d --real double -c ssc -L 4 -R 1003 -t 2 -d 0.1 -f 1",
    "--model heisenberg-glass3d -c ssc -L 4 -R 64 --method tempering -b 0.2 -d 0.2 --measurements 20",
)
