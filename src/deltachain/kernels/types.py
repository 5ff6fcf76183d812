"""The types of kernels as Python and mypy know them; `_compiled.pyx` says what they are in C.

A name is in both files or in neither. The types of arrays are exact: a kernel takes no int32 where it says int64.
Arrays are in C order; a last digit (x2 after 32) is their number of dimensions. Those of ``Const`` types are only read,
and may be read-only.
"""

import numpy as np
from numpy.typing import NDArray

i32 = int
i64 = int
u64 = int
u128 = int
f64 = float
flag = bool
Ints = NDArray[np.int64]
ConstInts = NDArray[np.int64]
Ints2 = NDArray[np.int64]
ConstInts2 = NDArray[np.int64]
Ints4 = NDArray[np.int64]
Ints32 = NDArray[np.int32]
ConstInts32 = NDArray[np.int32]
Ints32x2 = NDArray[np.int32]
ConstInts32x2 = NDArray[np.int32]
Reals = NDArray[np.float64]
Reals2 = NDArray[np.float64]
ConstReals = NDArray[np.float64]
ConstReals2 = NDArray[np.float64]
Singles2 = NDArray[np.float32]
Hashes = NDArray[np.uint64]
ConstHashes = NDArray[np.uint64]
Flags = NDArray[np.uint8]
ConstFlags = NDArray[np.uint8]
Flags2 = NDArray[np.uint8]
Masses = tuple[float, float]
Leading = tuple[int, int]
