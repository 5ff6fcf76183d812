# cython: language_level=3, infer_types=True
# cython: boundscheck=False, wraparound=False, initializedcheck=False
# All kernels in one extension: they share functions, which the C compiler inlines, and one copy of Cython's own code.
cimport cython

# The names of types.py.
ctypedef int i32
ctypedef long long i64
ctypedef unsigned long long u64
cdef extern from *:
    """
    typedef unsigned __int128 deltachain_u128;
    """
    ctypedef unsigned long long u128 "deltachain_u128"
ctypedef double f64
ctypedef bint flag
ctypedef long long[::1] Ints
ctypedef const long long[::1] ConstInts
ctypedef long long[:, ::1] Ints2
ctypedef const long long[:, ::1] ConstInts2
ctypedef long long[:, :, :, ::1] Ints4
ctypedef int[::1] Ints32
ctypedef const int[::1] ConstInts32
ctypedef int[:, ::1] Ints32x2
ctypedef const int[:, ::1] ConstInts32x2
ctypedef double[::1] Reals
ctypedef double[:, ::1] Reals2
ctypedef const double[::1] ConstReals
ctypedef const double[:, ::1] ConstReals2
ctypedef float[:, ::1] Singles2
ctypedef unsigned long long[::1] Hashes
ctypedef const unsigned long long[::1] ConstHashes
ctypedef unsigned char[::1] Flags
ctypedef const unsigned char[::1] ConstFlags
ctypedef unsigned char[:, ::1] Flags2
ctypedef (f64, f64) Masses
ctypedef (i64, i64) Leading

# The records of records.py, which are Python's.
ctypedef object Bases
ctypedef object Choice
ctypedef object Draft
ctypedef object Draws
ctypedef object Level
ctypedef object NodeTable
ctypedef object PairTables
ctypedef object Policy
ctypedef object Shape
ctypedef object Steps
ctypedef object Strata
ctypedef object Supports
ctypedef object System
ctypedef object Tables
ctypedef object Tree
ctypedef object Units
ctypedef object Users
ctypedef object WholeFlows

include "betting.py"
include "hashing.py"
include "step.py"
include "filters.py"
include "grid.py"
include "levels.py"
include "lookahead.py"
include "tree.py"
include "transport.py"
include "deletion.py"
include "policies.py"
include "stones.py"
include "whole.py"
include "vectors.py"
