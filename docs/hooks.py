"""What the site's build adds to the pages: the gallery's reports, and an index for the search that reads no network.

The index is a script that sets one variable, so that it loads from a disk as well as from a server.
"""

from __future__ import annotations

import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

import deltachain as dc

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path
from mathml import with_formulas

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

FORMULAS = ("theory/", "smt")
"""Pages whose indented blocks are formulas."""

_sections: list[dict[str, str]] = []


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


def on_pre_build(config: Any) -> None:
    """Begin a new index."""
    del config
    _sections.clear()


def on_files(files: Any, config: Any) -> Any:
    """Add the gallery's reports to the site."""
    for name in GALLERY:
        files.append(File.generated(config, f"gallery/{name}.html", content=gallery_page(name)))
    return files


class _Sections(HTMLParser):
    """A page's headings with the text below each."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._heading = False
        self._link = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._heading = tag in ("h1", "h2", "h3") or self._heading
        self._link = tag == "a" and given.get("class") == "headerlink"
        if tag in ("h1", "h2", "h3"):
            self.found.append({"title": "", "text": "", "anchor": given.get("id") or ""})

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "h2", "h3"):
            self._heading = False
        self._link = False

    def handle_data(self, data: str) -> None:
        if self.found and not self._link:
            self.found[-1]["title" if self._heading else "text"] += data


def on_page_content(html: str, page: Any, **_others: Any) -> str:
    """Take the page's sections into the index; show formulas as such."""
    reader = _Sections()
    reader.feed(html)
    for section in reader.found:
        text = " ".join(section["text"].split())[:LONGEST]
        place = f"{page.url}#{section['anchor']}" if section["anchor"] else page.url
        _sections.append({"title": section["title"].strip(), "page": str(page.title), "text": text, "place": place})
    return with_formulas(html) if page.url.startswith(FORMULAS) else html


def on_post_build(config: Any) -> None:
    """Write the index."""
    path = Path(config["site_dir"]) / "assets" / "search-index.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"window.searchSections = {json.dumps(_sections)};\n", "utf-8")
