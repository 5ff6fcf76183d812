# To mypy the compiled kernels are their sources.
from .betting import *
from .filters import *
from .grid import *
from .hashing import *
from .levels import *
from .lookahead import *
from .step import *
from .tree import *
from .vectors import *
