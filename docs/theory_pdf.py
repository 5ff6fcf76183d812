"""The theory pages as one PDF: ``make paper-pdf``, or ``python -m docs.theory_pdf``, to ``build/theory.pdf``.

The sources are those of the site, in the order of its navigation, with the formulas as MathML (`mathml`). Pages become
numbered sections of one document, links between them lead inside it, and Chromium, which the tests of the site drive as
well, prints it. Links to other pages of the site are left as words.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

import markdown
import yaml

from deltachain.files import write_atomically
from deltachain.version import __version__
from docs.mathml import with_formulas
from tests.browser.driver import HOW, chromium, launched

DOCS = Path(__file__).parent
BUILT = DOCS.parent / "build" / "theory.pdf"
FOLDER = "theory/"
LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
WIDE = {"from-the-paper"}
"""Pages with tables that need the long side of the paper."""

STYLE = """
@page { size: A4; margin: 22mm 20mm; }
@page wide { size: A4 landscape; margin: 18mm 15mm; }
html { font: 10.5pt/1.42 "Latin Modern Roman", "STIX Two Text", "DejaVu Serif", serif; }
body { counter-reset: page-number; }
math { font-family: "Latin Modern Math", "STIX Two Math", "DejaVu Serif", math, serif; }
header { text-align: center; padding-top: 60mm; break-after: page; }
header h1 { font-size: 24pt; }
section { break-before: page; counter-reset: heading; counter-increment: page-number; }
section.wide { page: wide; }
section.wide table { font-size: 7pt; }
section > h1::before { content: counter(page-number) "  "; }
section > h2 { counter-increment: heading; }
section > h2::before { content: counter(page-number) "." counter(heading) "  "; }
h1, h2, h3 { break-after: avoid; line-height: 1.2; }
h1 { font-size: 18pt; } h2 { font-size: 13pt; } h3 { font-size: 11pt; }
p, li { text-align: justify; hyphens: auto; orphans: 3; widows: 3; overflow-wrap: break-word; }
a { color: #1a3f8f; text-decoration: none; }
nav ol { line-height: 1.6; }
.admonition { border-left: 3px solid #1a3f8f; background: #f4f6fb; margin: 1em 0; padding: .3em 1em; }
.admonition { break-inside: avoid; }
.admonition-title { font-weight: bold; }
.formula { display: block; margin: .8em 0; }
.formula math { display: block; margin: .3em 0; }
pre { background: #f6f6f6; padding: .6em .8em; font-size: 7.5pt; line-height: 1.35; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
code { font-family: "DejaVu Sans Mono", monospace; font-size: .85em; }
pre code { font-size: inherit; }
table { border-collapse: collapse; font-size: 8.5pt; margin: 1em 0; }
th, td { border-bottom: .5pt solid #999; padding: .25em .5em; text-align: left; vertical-align: top; }
th, td { overflow-wrap: anywhere; }
tr { break-inside: avoid; } thead { display: table-header-group; }
"""

FOOTER = '<div style="width: 100%; font: 8pt serif; text-align: center"><span class="pageNumber"></span></div>'


def site_config() -> dict[str, Any]:
    """The configuration of the site."""
    found: dict[str, Any] = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text("utf-8"))
    return found


def theory_pages() -> list[str]:
    """The names of the theory pages, in the order of the site's navigation."""
    listed = next(entry["Theory"] for entry in site_config()["nav"] if "Theory" in entry)
    return [PurePosixPath(page).stem for page in listed]


def section_of(name: str, known: list[str]) -> tuple[str, str]:
    """A page as a section of the document, and its title."""
    text = with_formulas((DOCS / FOLDER / f"{name}.md").read_text("utf-8"))
    extensions = [
        next(iter(entry)) if isinstance(entry, dict) else entry for entry in site_config()["markdown_extensions"]
    ]
    body = markdown.markdown(text, extensions=extensions)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
    if title is None:
        raise SystemExit(f"{name}.md: no title")
    body = re.sub(r'\bid="([^"]*)"', rf'id="{name}--\1"', body)
    body = LINK.sub(lambda link: _inside(link, name, known), body)
    body = re.sub(r'\bsrc="\.\./([^"]*)"', lambda found: f'src="{(DOCS / found[1]).as_uri()}"', body)
    kind = ' class="wide"' if name in WIDE else ""
    return f'<section id="{name}"{kind}>\n{body}\n</section>', title[1]


def _inside(link: re.Match[str], name: str, known: list[str]) -> str:
    """A link that leads to the place in this document, or only its words where that is elsewhere."""
    target, attributes, words = link.groups()
    if target.startswith(("http:", "https:")):
        return link[0]
    path, _, anchor = target.partition("#")
    page = PurePosixPath(path).stem if path else name
    if page not in known or (path and PurePosixPath(path).parent != PurePosixPath()):
        return words
    return f'<a href="#{page}--{anchor}"{attributes}>{words}</a>' if anchor else f'<a href="#{page}">{words}</a>'


def document() -> str:
    """All pages as one HTML document."""
    names = theory_pages()
    sections = [section_of(name, names) for name in names]
    contents = "\n".join(
        f'<li><a href="#{name}">{title}</a></li>' for name, (_, title) in zip(names, sections, strict=True)
    )
    head = f'<meta charset="utf-8"><title>The theory of deltachain</title><style>{STYLE}</style>'
    cover = f"<h1>The theory of deltachain</h1><p>What is computed, and why it is right</p><p>Version {__version__}</p>"
    parts = [f"<header>{cover}</header>", f"<nav><h2>Contents</h2><ol>{contents}</ol></nav>"]
    parts += [text for text, _ in sections]
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en-GB"><head>{head}</head><body>\n{body}\n</body></html>\n'


def print_pdf(target: Path) -> None:
    """Print the document with Chromium."""
    source = target.with_suffix(".html")
    write_atomically(source, [document()])
    with launched() as browser:
        page = browser.new_page()
        page.goto(source.as_uri())
        page.pdf(
            path=target,
            prefer_css_page_size=True,
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            outline=True,
            tagged=True,
        )


def main() -> None:
    """Write ``build/theory.pdf``."""
    if chromium() is None:
        raise SystemExit(f"no browser: {HOW}")
    BUILT.parent.mkdir(exist_ok=True)
    print_pdf(BUILT)
    print(BUILT.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
