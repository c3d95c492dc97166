"""Spack recipe: spack install paising +cuda cuda_arch=90 +mpi."""

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Paising(MakefilePackage, CudaPackage):
    """Monte Carlo simulation of spin models and spin glasses on CPUs and GPUs."""

    homepage = "https://example.org/paising"  # to be replaced
    url = "https://example.org/paising-1.0.0.tar.gz"  # to be replaced: the archive of make dist

    license("MIT")

    # to be replaced: the checksum of that archive
    version("1.0.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("mpi", default=False, description="One population on several processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("random123", type="build")
    depends_on("zlib-api")
    depends_on("openmpi", when="+mpi")  # the Makefile asks mpicc --showme

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU: cuda_arch=90")

    def _words(self):
        """What make is told: what is not wanted is not looked for."""
        words = [f"CC={spack_cc}", f"PREFIX={self.prefix}"]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            one = f"sm_{architectures[0]}" if len(architectures) == 1 else "all"
            words += [f"NVCC={self.spec['cuda'].prefix.bin.nvcc}", f"CUDA_ARCH={one}"]
        else:
            words.append("NVCC=")
        words.append(f"MPICC={self.spec['openmpi'].prefix.bin.mpicc}" if self.spec.satisfies("+mpi") else "MPICC=")
        return words

    def build(self, spec, prefix):
        make("all", *self._words())

    def install(self, spec, prefix):
        make("install", *self._words())
