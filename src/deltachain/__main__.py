"""``python -m deltachain``."""

from .cli.main import run

run()
