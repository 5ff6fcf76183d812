"""The former name of the module ``deltachain_storm.stormvogel_models``."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module("deltachain_storm.stormvogel_models")
