"""``python -m deltachain``."""

from .cli.start import run

run()
