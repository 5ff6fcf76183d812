# To mypy the compiled kernels are their sources.
from .betting import *
from .deletion import *
from .filters import *
from .grid import *
from .hashing import *
from .levels import *
from .lookahead import *
from .policies import *
from .step import *
from .stones import *
from .transport import *
from .tree import *
from .vectors import *
from .whole import *
