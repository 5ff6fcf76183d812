# cython: language_level=3, infer_types=True
# cython: boundscheck=False, wraparound=False, initializedcheck=False
# All kernels in one extension: they share functions, which the C compiler inlines, and one copy of Cython's own code.
# The types are those of types.py; a name is in both or in neither.
cimport cython

ctypedef long long i64
ctypedef double f64
ctypedef bint flag
ctypedef long long[::1] Ints
ctypedef const long long[::1] ConstInts
ctypedef double[::1] Reals
ctypedef const double[::1] ConstReals

include "betting.py"
