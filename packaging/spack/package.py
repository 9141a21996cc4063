# Recipe for Spack 1.0 or newer. Put it into a package repository of your own as packages/hymg/package.py.
#
# SPDX-License-Identifier: BSD-3-Clause

import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Hymg(Package, CudaPackage):
    """Geometric multigrid for a alpha u - b div(beta grad u) = f on box-shaped structured grids: finite volumes of 2nd
    and 4th order on cores, clusters and NVIDIA GPUs. A library for C, C++ and Fortran, and a benchmark after HPGMG-FV."""

    # A public address is not there yet: "make dist" in a clone writes the archive, "spack install --no-checksum hymg" in the
    # same folder takes it from there (or give its sha256 below), and "spack develop --path=CLONE hymg" builds a clone.
    manual_download = True
    url = f"file://{os.getcwd()}/hymg-0.1.0.tar.xz"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="Several ranks (MPI 3)")
    variant("openmp", default=True, description="Several threads per rank")
    variant("fortran", default=False, description="Compile the Fortran modules")
    variant("nccl", default=False, when="+cuda+mpi", description="Messages between GPUs of several nodes through NCCL")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("nccl@2.19:", when="+nccl")

    conflicts("cuda_arch=none", when="+cuda", msg="give cuda_arch, as in cuda_arch=90")
    for _arch in CudaPackage.cuda_arch_values:
        if int(_arch.rstrip("af")) < 80:
            conflicts(f"cuda_arch={_arch}", when="+cuda", msg="compute capability 8.0 or newer is needed")

    def configure_options(self, spec, prefix):
        # Spack's compiler wrapper says which CPU to compile for
        options = [f"--prefix={prefix}", "--cpu-arch=default", "--with-jansson"]
        options += ["--without-check", "--without-png", "--without-hypre"]
        for name in ("mpi", "openmp", "cuda", "nccl", "fortran"):
            options.append(f"--with-{name}" if spec.satisfies(f"+{name}") else f"--without-{name}")
        if spec.satisfies("+mpi"):
            options.append(f"MPICC={spec['mpi'].mpicc}")
        if spec.satisfies("+cuda"):
            options[options.index("--with-cuda")] = f"--with-cuda={spec['cuda'].prefix}"
            options.append("--cuda-arch=" + ",".join(spec.variants["cuda_arch"].value))
        if spec.satisfies("+nccl"):
            options[options.index("--with-nccl")] = f"--with-nccl={spec['nccl'].prefix}"
        return options

    def install(self, spec, prefix):
        Executable("./configure")(*self.configure_options(spec, prefix))
        make()
        make("install")

    def test_solve(self):
        """the benchmark on 32^3 cells"""
        hymg_fv = which(self.prefix.bin.join("hymg-fv"))
        output = hymg_fv("--min-seconds", "0", "--min-solves", "1", "5", "1", output=str.split, error=str.split)
        assert "DOF/s" in output
