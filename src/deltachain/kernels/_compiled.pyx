# cython: language_level=3, infer_types=True
# cython: boundscheck=False, wraparound=False, initializedcheck=False
# All kernels in one extension: they share functions, which the C compiler inlines, and one copy of Cython's own code.
cimport cython

# The names of types.py.
ctypedef int i32
ctypedef long long i64
ctypedef unsigned long long u64
ctypedef double f64
ctypedef bint flag
ctypedef long long[::1] Ints
ctypedef const long long[::1] ConstInts
ctypedef long long[:, ::1] Ints2
ctypedef const long long[:, ::1] ConstInts2
ctypedef long long[:, :, :, ::1] Ints4
ctypedef int[::1] Ints32
ctypedef const int[::1] ConstInts32
ctypedef double[::1] Reals
ctypedef double[:, ::1] Reals2
ctypedef const double[::1] ConstReals
ctypedef const double[:, ::1] ConstReals2
ctypedef float[:, ::1] Singles2
ctypedef unsigned long long[::1] Hashes
ctypedef unsigned char[::1] Flags
ctypedef unsigned char[:, ::1] Flags2
ctypedef (f64, f64) Masses
ctypedef (i64, i64) Leading

# The records of records.py, which are Python's.
ctypedef object Choice
ctypedef object Draft
ctypedef object Draws
ctypedef object Level
ctypedef object Supports
ctypedef object Shape
ctypedef object Steps
ctypedef object Strata
ctypedef object Tables
ctypedef object Tree

include "betting.py"
include "hashing.py"
include "step.py"
include "filters.py"
include "grid.py"
include "levels.py"
include "lookahead.py"
include "tree.py"
include "vectors.py"
