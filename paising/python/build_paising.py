"""Builds the wheel and the source archive of the package, as pip asks for them (PEP 517), by the standard library alone.

    python3 build_paising.py FOLDER     a wheel in FOLDER, without pip

The library in the wheel is made by the Makefile of the project, of the sources above this folder or, in a source archive, in the folder
project/. It is built without MPI and, where nvcc is, with the CUDA engines, into build/python/. Environment:

    PAISING_MAKE      more arguments of make, such as NVCC= (no CUDA), CUDA_ARCH=all (any GPU, and PTX for newer ones), -j2
    PAISING_LIBRARY   a libpaising.so that is there already: nothing is built
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "project" if (HERE / "project").is_dir() else HERE.parents[1]
PACKAGE = ("*.py", "py.typed")
# What make reads to build the library.
SOURCES = ("Makefile", "LICENSE", ".commit", "*/*.mk", "*/*/*.mk", "paising/paising.h", "paising/library/symbols.map", "reference/*.[ch]",
           *(f"paising/{depth}.{kind}" for depth in ("*/*", "*/*/*") for kind in ("c", "h", "cu", "cuh")))
OPENMP = "libgomp.so.1"  # of GCC, under the GPL with the exception for runtime libraries
METADATA = """\
Metadata-Version: 2.1
Name: paising
Version: {version}
Summary: Monte Carlo simulation of spin models: population annealing on CPUs and GPUs
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy>=1.17
Provides-Extra: plot
Requires-Dist: matplotlib; extra == "plot"
Provides-Extra: dimod
Requires-Dist: dimod; extra == "dimod"
"""


def _version() -> str:
    """The version of the sources."""
    for header in sorted(PROJECT.glob("paising/*/*.h")):
        found = re.search(r'^#define PAISING_VERSION "(.*)"', header.read_text(), re.MULTILINE)
        if found:
            return found[1]
    raise RuntimeError(f"{PROJECT}: the sources say no version")


def _library() -> Path:
    """The library: the one of PAISING_LIBRARY, or made of the sources."""
    given = os.environ.get("PAISING_LIBRARY")
    if given:
        return Path(given)
    build = PROJECT / "build" / "python"
    # What a make around this one was told is not for this one.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    # Libraries of the compilers that other machines need not have are copied in.
    own = ["LDFLAGS=-static-libgcc -Wl,--as-needed", "CXX_LIBRARY=-l:libstdc++.a"]
    subprocess.run(["make", "-C", str(PROJECT), f"-j{os.cpu_count()}", "BUILD=build/python", "MPICC=", "CFLAGS=-O3", *own,
                    *shlex.split(os.environ.get("PAISING_MAKE", "")), "build/python/lib/libpaising.so"],
                   check=True, stdout=sys.stderr, env=environment)
    return build / "lib" / "libpaising.so"


def _openmp(library: Path) -> Optional[Path]:
    """The shared library of OpenMP that a library needs, for machines without a compiler; None: it needs none."""
    said = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libgomp\.so\.1 => (/\S+)", said)
    return Path(found[1]) if found else None


def _package() -> list[Path]:
    """The files of the package."""
    return sorted(path for pattern in PACKAGE for path in (HERE / "paising").glob(pattern))


def _tag() -> str:
    """For any Python 3 on this kind of machine."""
    return "py3-none-" + re.sub(r"\W", "_", sysconfig.get_platform())


def _info(version: str) -> dict[str, bytes]:
    """The files of the .dist-info folder but RECORD."""
    wheel = f"Wheel-Version: 1.0\nGenerator: build_paising\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return {"METADATA": METADATA.format(version=version).encode(), "WHEEL": wheel.encode(), "LICENSE": (PROJECT / "LICENSE").read_bytes()}


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Writes the .dist-info folder of the wheel, and returns its name."""
    version = _version()
    folder = Path(metadata_directory, f"paising-{version}.dist-info")
    folder.mkdir()
    for name, content in _info(version).items():
        (folder / name).write_bytes(content)
    return folder.name


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Makes the wheel in wheel_directory and returns its name."""
    version = _version()
    files = {f"paising/{path.name}": path.read_bytes() for path in _package()}
    library = _library()
    files["paising/libpaising.so"] = library.read_bytes()
    openmp = _openmp(library)
    if openmp:
        files[f"paising/{OPENMP}"] = openmp.read_bytes()
    folder = f"paising-{version}.dist-info"
    files.update({f"{folder}/{name}": content for name, content in _info(version).items()})
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
        for name, content in files.items())
    files[f"{folder}/RECORD"] = f"{record}{folder}/RECORD,,\n".encode()
    name = f"paising-{version}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def _commit() -> bytes:
    """What .commit of the archive says: the commit of the sources."""
    said = (PROJECT / ".commit").read_bytes()
    if b"Format" not in said:
        return said
    done = subprocess.run(["git", "-C", str(PROJECT), "describe", "--always", "--dirty"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else b"unknown\n"


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Makes the source archive in sdist_directory and returns its name: this folder, and in project/ what make reads."""
    version = _version()
    top = f"paising-{version}"
    files = {name: (HERE / name).read_bytes() for name in ("pyproject.toml", Path(__file__).name)}
    files["PKG-INFO"] = METADATA.format(version=version).encode()
    files.update({f"paising/{path.name}": path.read_bytes() for path in _package()})
    for path in sorted(path for pattern in SOURCES for path in PROJECT.glob(pattern) if "build" not in path.relative_to(PROJECT).parts[:1]):
        files[f"project/{path.relative_to(PROJECT)}"] = path.read_bytes()
    files["project/.commit"] = _commit()
    with tarfile.open(Path(sdist_directory, f"{top}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), int(time.time()), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return f"{top}.tar.gz"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: build_paising.py FOLDER")
    print(build_wheel(sys.argv[1]))
