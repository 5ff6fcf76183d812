"""The site, built into a folder as `make docs` builds it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT

SOURCES = ("src", "packages/checker", "packages/smt")
"""Where the pages of the API are read from."""


def build_site(folder: Path) -> Path:
    """Prepare and build the site in the folder, strictly; the path of the site."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    for ours, here in (
        ("docs_dir: build/docs", f"docs_dir: {folder / 'docs'}"),
        ("site_dir: site", f"site_dir: {folder / 'site'}"),
        (f"paths: [{', '.join(SOURCES)}]", f"paths: [{', '.join(str(ROOT / source) for source in SOURCES)}]"),
        ("docs/fence_doctests.py", str(ROOT / "docs" / "fence_doctests.py")),
    ):
        assert text.count(ours) == 1, ours
        text = text.replace(ours, here)
    (folder / "mkdocs.yml").write_text(text, "utf-8")
    _run("docs/prepare.py", str(folder / "docs"))
    _run("-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(folder / "mkdocs.yml"))
    return folder / "site"


def _run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
