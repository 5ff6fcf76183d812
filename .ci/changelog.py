"""Make a release of what is unreleased: ``python .ci/changelog.py VERSION DATE``.

The section *Unreleased* of CHANGELOG.md, with the lines of changelog.d under their headings, becomes that of the
version; an empty one stands above it, and the files that were collected are removed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("added", "changed", "fixed", "removed")
UNRELEASED = "## [Unreleased]\n"
HEADING = re.compile(r"^### (\w+)\n", re.MULTILINE)


def read_lines(folder: Path) -> dict[str, list[str]]:
    """The lines of each kind; ValueError for a file that has no kind, or no line."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        kind, text = path.stem.rpartition(".")[2], path.read_text("utf-8").strip()
        if kind not in KINDS or not text.startswith("- "):
            raise ValueError(
                f"{path.name}: name it TOPIC.KIND.md, KIND one of {', '.join(KINDS)}, and begin it with '- '"
            )
        found[kind].append(text)
    return found


def collected(section: str, lines: dict[str, list[str]]) -> str:
    """The section with the lines under their headings, which are made where they are missing."""
    before, *rest = HEADING.split(section)
    parts = dict(zip((name.lower() for name in rest[::2]), (text.strip() for text in rest[1::2]), strict=True))
    for kind in KINDS:
        if lines[kind]:
            parts[kind] = "\n".join(filter(None, [*lines[kind], parts.get(kind, "")]))
    return before.rstrip() + "".join(f"\n\n### {kind.capitalize()}\n\n{text}" for kind, text in parts.items()) + "\n\n"


def released(changelog: str, lines: dict[str, list[str]], version: str, date: str) -> str:
    """The changelog with the release."""
    before, _, after = changelog.partition(UNRELEASED)
    section, heading, older = after.partition("\n## [")
    return f"{before}{UNRELEASED}\n## [{version}] - {date}{collected(section, lines)}{heading.lstrip()}{older}"


def main(version: str, date: str) -> None:
    folder, changelog = ROOT / "changelog.d", ROOT / "CHANGELOG.md"
    lines = read_lines(folder)
    changelog.write_text(released(changelog.read_text("utf-8"), lines, version, date), "utf-8")
    for path in folder.glob("*.*.md"):
        path.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
