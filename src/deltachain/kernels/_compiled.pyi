# To mypy the compiled kernels are their sources.
from .betting import *
