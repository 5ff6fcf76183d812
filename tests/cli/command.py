"""The real command, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "deltachain"]


def run(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run ``deltachain`` with the arguments; standard output and error are caught as UTF-8 text."""
    environment = os.environ | {"PYTHONUTF8": "1"} | settings.pop("environment", {})
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=60,
        check=False,
        **settings,
    )


def run_json(*arguments: str) -> dict[str, Any]:
    """The JSON document that a command prints; it must succeed and say nothing else."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document
