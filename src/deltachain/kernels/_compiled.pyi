# To mypy the compiled kernels are their sources.
from .betting import *
from .grid import *
from .hashing import *
from .levels import *
from .lookahead import *
from .step import *
from .tree import *
