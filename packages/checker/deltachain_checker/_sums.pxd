# The types of `_sums`, which is sums.py compiled. What has no type here is an object of Python, and only slower.
cimport cython
ctypedef long long i64

@cython.locals(lost=i64, count=i64, value=i64, bottom=i64, rest=i64, whole=i64, part=i64, target=Py_ssize_t, share=i64, before=i64)
cpdef tuple step(object rows, object label, object m, i64[::1] sums)

@cython.locals(pos=i64, neg=i64, value=i64)
cpdef tuple sides(object m)

@cython.locals(total=i64, value=i64, weight=i64)
cpdef object product_below(object m, object f)

@cython.locals(total=i64, shift=i64)
cpdef i64 position(i64 pos, i64 neg, i64 g) except? -1

@cython.locals(whole_x=i64, part_x=i64, whole_y=i64, part_y=i64, pos=i64, neg=i64, many=i64, value=i64, mine=i64, other=i64, plus=i64, minus=i64)
cpdef tuple two_signs(object targets, i64 x, i64 bottom, i64 y, i64 below)

@cython.locals(total=i64, count=i64, x=i64, y=i64, bottom=i64, below=i64, pos=i64, neg=i64)
cpdef tuple level_below(object rows, object cells, i64 g)

@cython.locals(total=i64, count=i64, k=i64, weight=i64, bottom=i64, below=i64, pos=i64, neg=i64)
cpdef tuple level_above(object rows, object weights, i64 g)

@cython.locals(k=i64, whole=i64, rest=i64, upper=i64, lower=i64, left=i64)
cpdef i64 spread(object into, object plus, object minus, i64 pos, i64 neg, i64 g) except? -1
