"""What pyproject.toml cannot say yet: which extensions are compiled, and how."""

import sys
from pathlib import Path

from setuptools import Extension, setup

KERNELS, CHECKER = "src/deltachain/kernels", "packages/checker/deltachain_checker"
# Floats are rounded as written, wherever this is compiled; no debug information, which is three quarters of the size.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-g0", "-ffp-contract=off"]

setup(
    ext_modules=[
        Extension(
            "deltachain.kernels._compiled",
            [f"{KERNELS}/_compiled.pyx"],
            depends=sorted(map(str, Path(KERNELS).glob("*.py"))),
            optional=True,  # without a C compiler the installation goes on, and runs uncompiled
            extra_compile_args=FLAGS,
            define_macros=[("Py_LIMITED_API", "0x030B0000")],  # one binary for Python 3.11 and every later one
            py_limited_api=True,
        ),
        Extension(
            "deltachain_checker._sums",
            [f"{CHECKER}/sums.py"],  # the plain source, which says itself that sums and products are checked
            depends=[f"{CHECKER}/_sums.pxd"],
            optional=True,
            extra_compile_args=FLAGS,
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
        ),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
