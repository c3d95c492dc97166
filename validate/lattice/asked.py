"""What lattice.py simulates: profiles, and the words of the command for each run of a table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

CRITICAL = math.log(1 + math.sqrt(2)) / 2
CRITICAL_CUBIC = 0.221654626  # A. M. Ferrenberg, J. Xu, D. P. Landau, Phys. Rev. E 97, 043301 (2018)
# e(t) after a quench from random spins to beta = 0.8, L = 128, tiles of 16: eight runs of another program, with errors.
QUENCH_TIMES = (1, 2, 4, 8, 16, 32, 64)
QUENCHES = {
    "random": "-0.7397(30) -1.0352(25) -1.3146(36) -1.5221(20) -1.6602(25) -1.7528(31) -1.8155(27)",
    "double-tiling": "-0.7414(12) -1.0316(34) -1.3104(48) -1.5252(20) -1.6593(33) -1.7528(33) -1.8154(56)",
    "dead-border": "-0.6626(33) -0.9730(95) -1.2904(63) -1.5065(18) -1.6488(41) -1.7353(30) -1.8026(40)",
    "sequential": "-0.7411(34) -1.2077(76) -1.5465(67) -1.7205(41) -1.8205(43) -1.8833(30) -1.9287(35)",
    "metropolis": "-1.0233(16) -1.3471(34) -1.5876(31) -1.7475(35) -1.8397(44) -1.9026(29) -1.9366(48)",
}
STRIPES = 32  # that a lattice in multi-spin coding is cut into
FLIP_HITS = (1, 10, 100)


@dataclass(frozen=True)
class Profile:
    """What is simulated."""

    betas: tuple[float, ...]
    of_beta: tuple[int, int, int]  # L, T, measurements with one hit; so are others of three numbers
    of_hits: tuple[tuple[int, int, int, int], ...]  # and of how many independent lattices; so are others of four
    hits: tuple[int, ...]
    flip_edges: tuple[int, ...]
    quench_replicas: int
    cubic_betas: tuple[float, ...]
    of_cubic_beta: tuple[int, int, int]
    of_cubic_hits: tuple[tuple[int, int, int, int], ...]
    cubic_edges: tuple[int, ...]
    flips: float  # of a run whose time counts, at most
    striped: tuple[tuple[str, int], ...]  # -L, T: square, or cubic with three edges
    striped_flips: float  # of a run, about
    local: dict[int, tuple[int, int]]  # L: sweeps between measurements, at most half of tau_int(E), and measurements
    clusters: dict[int, int]  # L: measurements
    full_edges: tuple[int, int] = (0, 0)  # of square and cubic lattices that fill a GPU, of which tau t_f takes t_f; 0: those of tau
    spacing: dict[float, int] = field(default_factory=dict)  # beta: about so many sweeps between measurements with one hit, at most half of tau_int(E); others have one


SMALL_BETAS = (0.36, 0.4, 0.43, CRITICAL, 0.46, 0.5)
PROFILES = {
    "brief": Profile(
        (0.4,), (16, 8, 2000), ((16, 8, 2000, 1),), (1, 10), (64,), 8, (0.21,), (8, 4, 1000), ((8, 4, 1000, 1),), (16,), 1e6, (), 0,
        {8: (1, 4000), 16: (2, 8000)}, {8: 2000, 16: 2000},
    ),
    "small": Profile(
        SMALL_BETAS, (32, 8, 40000), ((32, 8, 20000, 1), (64, 16, 40000, 1)), (1, 2, 5, 10, 20, 50, 100), (64, 128, 256), 64,
        (0.21, CRITICAL_CUBIC, 0.235), (16, 8, 10000), ((16, 8, 20000, 1),), (16, 32, 64), 1e7,
        (("512x512", 8), ("1024x1024", 8), ("1024x1024", 16), ("64x64x512", 8)), 1e8,
        {16: (2, 20000), 32: (8, 20000), 64: (20, 24000)}, {16: 20000, 32: 20000, 64: 20000, 128: 10000},
    ),
    "full": Profile(
        (*(round(0.35 + 0.01 * n, 2) for n in range(10)), CRITICAL), (128, 16, 12000), ((128, 16, 8000, 24),), (1, 2, 5, 10, 20, 50, 100),
        (128, 256, 512, 1024, 2048), 256,
        (0.2, 0.21, 0.217, 0.22, CRITICAL_CUBIC, 0.2235, 0.23, 0.24), (64, 8, 12000), ((64, 8, 24000, 1),), (32, 64, 128, 192), 2e10,
        tuple((f"{edge}x{edge}", t) for t in (8, 16, 32) for edge in (2048, 8192, 32768) if edge % (64 * t) == 0)
        + tuple((f"{edge}x{edge}x{edge}", t) for t in (8, 16) for edge in (512, 1024) if edge % (64 * t) == 0), 5e11,
        {16: (2, 40000), 32: (8, 40000), 64: (20, 40000), 128: (60, 40000), 256: (200, 50000)},
        {16: 40000, 32: 40000, 64: 40000, 128: 40000, 256: 40000},
        (8192, 384), {0.43: 4, 0.44: 40, CRITICAL: 40, 0.22: 3, CRITICAL_CUBIC: 40, 0.2235: 5},
    ),
}


def at(beta: float) -> str:
    return f"-b {beta:.12g} -f {beta:.12g}"


def of_model(cubic: bool) -> str:
    return "--model cubic " if cubic else ""


def of_tiles(p: Profile, edge: int, tile: int, hits: int, measurements: int, beta: float, cubic: bool = False, runs: int = 1) -> str:
    """Tau grows with k, and so does the distance of measurements. Where one follows each update there are fewer with many hits, since these
    take as much longer."""
    spacing = p.spacing.get(beta, 1)
    updates = max(1, int(spacing * (1 + hits / 20)) // max(1, hits))
    count = measurements // max(1, hits // (10 * spacing))
    order = f"--update tiles --tile {tile} --hits {hits}" if hits > 0 else ""
    several = f"-M {runs} " if runs > 1 else ""
    return f"{of_model(cubic)}-L {edge} -R 1 {several}-t {updates} {at(beta)} --thermalisation {count // 20} --measurements {count} {order}".strip()


def of_quench(order: str, replicas: int) -> str:
    tile = " --tile 16" if order in ("double-tiling", "dead-border") else ""
    return f"-L 128 -R {replicas} -t 1 {at(0.8)} --thermalisation 0 --measurements {QUENCH_TIMES[-1]} --update {order}{tile}"


def of_flips(edge: int, tile: int, hits: int, flips: float, cubic: bool = False, updates: int = 1) -> str:
    """Updates between measurements, of which there are four at least; of small lattices 20000 sweeps."""
    count = max(4, min(20000, int(flips) // edge ** (3 if cubic else 2)) // (updates * hits))
    beta = CRITICAL_CUBIC if cubic else CRITICAL
    return f"{of_model(cubic)}-L {edge} -R 1 -t {updates} {at(beta)} --thermalisation 2 --measurements {count} --update tiles --tile {tile} --hits {hits}"


def of_striped_flips(size: str, tile: int, hits: int, flips: float) -> str:
    """Ten updates between measurements, of which there are four at least."""
    edges = [int(edge) for edge in size.split("x")]
    count = max(4, int(flips / (10 * hits * math.prod(edges))))
    cubic = len(edges) == 3
    return (
        f"{of_model(cubic)}-c msc --stripes {STRIPES} -L {size} -R 1 -t 10 {at(CRITICAL_CUBIC if cubic else CRITICAL)} --thermalisation 1 "
        f"--measurements {count} --update tiles --tile {tile} --hits {hits}"
    )


def of_local(edge: int, sweeps: int, count: int) -> str:
    return f"-L {edge} -R 1 -t {sweeps} {at(CRITICAL)} --thermalisation {count // 20} --measurements {count}"


def of_clusters(edge: int, count: int) -> str:
    return f"-L {edge} -R 1 -t 1 {at(CRITICAL)} --thermalisation {count // 20} --measurements {count} --update swendsen-wang"


def betas_of(p: Profile, cubic: bool) -> tuple[tuple[float, ...], tuple[int, int, int]]:
    return (p.cubic_betas, p.of_cubic_beta) if cubic else (p.betas, p.of_beta)


def hits_of_betas(p: Profile) -> list[int]:
    """Zero: the checkerboard."""
    return [k for k in (0, 1, 10, 100) if k < 100 or 100 in p.hits]


def beta_runs(p: Profile, cubic: bool = False) -> list[str]:
    """The longest first."""
    betas, (edge, tile, n) = betas_of(p, cubic)
    return [of_tiles(p, edge, tile, k, n, beta, cubic) for k in reversed(hits_of_betas(p)) for beta in betas]


def hits_points(p: Profile, cubic: bool) -> tuple[tuple[tuple[int, int, int, int], ...], float]:
    return (p.of_cubic_hits, CRITICAL_CUBIC) if cubic else (p.of_hits, CRITICAL)


def hits_runs(p: Profile, cubic: bool = False) -> list[str]:
    points, beta = hits_points(p, cubic)
    return [of_tiles(p, edge, tile, k, n, beta, cubic, runs) for edge, tile, n, runs in points for k in reversed(p.hits)]


def hits_flips_of(p: Profile, edge: int, tile: int, hits: int, cubic: bool) -> str:
    """A GPU that one lattice does not fill waits for its launches: there t_f is that of a larger one, with ten updates between measurements."""
    full = p.full_edges[cubic]
    return of_flips(full, tile, hits, 5 * p.flips, cubic, 10) if full > 0 else of_flips(edge, tile, hits, p.flips, cubic)


def hits_flips(p: Profile, cubic: bool = False) -> list[str]:
    return [hits_flips_of(p, edge, tile, k, cubic) for edge, tile, *_ in hits_points(p, cubic)[0] for k in p.hits]


def exponent_runs(p: Profile) -> list[str]:
    clusters = [of_clusters(edge, count) for edge, count in reversed(p.clusters.items())]
    return [of_local(edge, *how) for edge, how in reversed(p.local.items())] + clusters


def flip_points(p: Profile, cubic: bool = False) -> list[tuple[int, int]]:
    """T and L."""
    tiles, edges = ((4, 8, 16), p.cubic_edges) if cubic else ((4, 8, 16, 32), p.flip_edges)
    return [(tile, edge) for tile in tiles for edge in edges if edge % (2 * tile) == 0]


def flips_runs(p: Profile, cubic: bool = False) -> list[str]:
    return [of_flips(edge, tile, k, p.flips, cubic) for tile, edge in flip_points(p, cubic) for k in FLIP_HITS]


def striped_runs(p: Profile) -> list[str]:
    return [of_striped_flips(*point, k, p.striped_flips) for point in p.striped for k in FLIP_HITS]


def quench_runs(p: Profile) -> list[str]:
    return [of_quench(order, p.quench_replicas) for order in QUENCHES]
