# To mypy the compiled kernels are their sources.
from .betting import *
from .step import *
from .tree import *
