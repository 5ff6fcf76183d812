"""``python -m deltachain.checker``: what commands of the past call ``python -m deltachain_checker``."""

from __future__ import annotations

from deltachain_checker.__main__ import complain, run

if __name__ == "__main__":
    complain("python -m deltachain.checker is python -m deltachain_checker now")
    run()
