# To mypy the compiled loops are their source.
from .sums import *
