"""``python -m deltachain.checker``: what commands of the past call ``python -m deltachain_checker_v1``."""

from __future__ import annotations

from deltachain_checker_v1.__main__ import complain, run

if __name__ == "__main__":
    complain("python -m deltachain.checker is python -m deltachain_checker_v1 now")
    run()
