"""Write the folder that the site is built from: ``python docs/prepare.py``, to ``build/docs``.

Everything of ours that the pages need is done here, before the site generator sees them, so that any generator will do
that reads Markdown with Python-Markdown:

- formulas of the theory become MathML (`mathml`);
- ``::: deltachain.delta`` in the API reference becomes ``::: `` and the module where the object is defined, as
  mkdocstrings needs it;
- the gallery's reports are written;
- the search index is written, as a script that sets one variable: it loads from a disk as well as from a server.
"""

from __future__ import annotations

import argparse
import inspect
import json
import pkgutil
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import markdown
import yaml

import deltachain as dc

sys.path.insert(0, str(Path(__file__).parent))  # this file is run as a script, and loaded by its path in tests
from mathml import with_formulas, without_marks

DOCS = Path(__file__).parent
PREPARED = DOCS.parent / "build" / "docs"

GALLERY = {
    "survey": ("survey", {"epsilon": "1", "delta": "1/10"}),
    "coin": ("coin", {"epsilon": "1/10", "delta": "1/100"}),
    "dining-cryptographers": ("dining-cryptographers,n=2,p=49/100", {"epsilon": "1/10000", "delta": "1/1000"}),
    "crowds": ("crowds", {"epsilon": "1", "delta": "1/10"}),
    "sticky-sensor": ("sticky-sensor", {"epsilon": "1/2", "delta": "1/10", "max_nodes": 2000}),
}
"""Name of the page → the example, and what is asked of it."""

LONGEST = 2000
"""Characters of a section that are searched beside its title."""

FORMULAS = "theory/"
"""The folder of pages that have formulas."""

OBJECT = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
"""A line of the API reference that stands for an object and its docstring."""


def prepare(target: Path) -> None:
    """Write the folder anew."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(DOCS, target, ignore=_ours)
    index: list[dict[str, str]] = []
    for path in sorted(target.rglob("*.md")):
        name = path.relative_to(target).with_suffix(".html").as_posix()
        text = path.read_text("utf-8")
        formulas = name.startswith(FORMULAS)
        index += sections(without_marks(text) if formulas else text, name)
        if formulas:
            text = with_formulas(text)
        path.write_text(OBJECT.sub(_defined, text), "utf-8")
    (target / "assets" / "search-index.js").write_text(f"window.searchSections = {json.dumps(index)};\n", "utf-8")
    (target / "gallery").mkdir()
    for name in GALLERY:
        (target / "gallery" / f"{name}.html").write_text(gallery_page(name), "utf-8")


def _ours(folder: str, names: list[str]) -> list[str]:
    """What is not part of the site: these scripts, and caches."""
    return [name for name in names if name == "__pycache__" or (Path(folder) == DOCS and name.endswith(".py"))]


def gallery_page(name: str) -> str:
    """The report of one entry."""
    spec, asked = GALLERY[name]
    options = " ".join(f"--{key.replace('_', '-')} {value}" for key, value in asked.items())
    return dc.report(
        dc.examples.build(spec),
        source=f"example:{spec}",
        command=f"deltachain report example:{spec} {options} --out report.html",
        verify=f"deltachain verify example:{spec} certificate.json",
        **asked,  # type: ignore[arg-type]
    ).html


def sections(text: str, page: str) -> list[dict[str, str]]:
    """The index of one page, an entry per heading and per object of the API reference, with its place in the site."""
    reader = _Sections()
    reader.feed(markdown.markdown(OBJECT.sub(_as_heading, text), extensions=_extensions()))
    title = reader.found[0]["title"].strip()
    return [
        {
            "title": entry["title"].strip(),
            "page": title,
            "text": " ".join(entry["text"].split())[:LONGEST],
            "place": f"{page}#{entry['anchor']}",
        }
        for entry in reader.found
    ]


def _extensions() -> list[Any]:
    """Those of the site, so that headings get the same anchors."""
    config = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text("utf-8"))
    return [next(iter(entry)) if isinstance(entry, dict) else entry for entry in config["markdown_extensions"]]


class _Sections(HTMLParser):
    """A page's headings with the text below each."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("h1", "h2", "h3"):
            self._heading = True
            self.found.append({"title": "", "text": "", "anchor": dict(attrs).get("id") or ""})

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "h2", "h3"):
            self._heading = False

    def handle_data(self, data: str) -> None:
        if self.found:
            self.found[-1]["title" if self._heading else "text"] += data


def defined(path: str) -> str:
    """Where the object of a dotted name is defined.

    >>> defined("deltachain.Chain")
    'deltachain.model.chain.Chain'
    """
    found = pkgutil.resolve_name(path)
    return path if isinstance(found, ModuleType) else f"{found.__module__}.{found.__qualname__}"


def _defined(line: re.Match[str]) -> str:
    return f"::: {defined(line[1])}"


def _as_heading(line: re.Match[str]) -> str:
    """The object as the heading that it becomes, with its docstring and those of its members as text."""
    found = pkgutil.resolve_name(line[1])
    texts = [inspect.getdoc(found) or ""]
    for name, member in vars(found).items() if isinstance(found, type | ModuleType) else ():
        if not name.startswith("_") and getattr(member, "__module__", found.__name__).startswith("deltachain"):
            texts.append(f"{name} {inspect.getdoc(member) or ''}")
    text = "".join(f"    {line}\n" for text in texts for line in text.splitlines())
    return f"### {line[1].rpartition('.')[2]} {{: #{defined(line[1])} }}\n\n{text}"


def main() -> None:
    """Write the folder that is named on the command line, or ``build/docs``."""
    parser = argparse.ArgumentParser(description="Write the folder that the site is built from.")
    parser.add_argument("target", nargs="?", type=Path, default=PREPARED)
    prepare(parser.parse_args().target)


if __name__ == "__main__":
    main()
