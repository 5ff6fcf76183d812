"""Run tests of the core in a copy of the tree that has no satellites: ``python .ci/core_alone.py [PYTEST ARGUMENTS]``.

The interpreter's environment brings the packages that we need. What an editable installation in it leads to is left out
of the copy's path, in commands that the tests start, too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALONE = ROOT / "build" / "core"
SATELLITES = ("storm", "smt", "explore")
"""The names of their folders, and of those of their tests."""
MADE = (".git", ".venv", "build", "site", "__pycache__", ".*_cache", ".hypothesis")
SITE = """import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in getattr(finder, "__name__", "")]
"""


def main(arguments: list[str]) -> int:
    shutil.rmtree(ALONE, ignore_errors=True)
    shutil.copytree(ROOT, ALONE, ignore=shutil.ignore_patterns(*MADE, *SATELLITES))
    site = ALONE / "build" / "site"
    site.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(SITE, "utf-8")
    paths = (site, ALONE / "src", ALONE / "packages" / "checker", ALONE / "packages" / "checker-v1")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, "-m", "pytest", *(arguments or ["-m", "not slow and not browser"])]
    return subprocess.run(command, cwd=ALONE, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
