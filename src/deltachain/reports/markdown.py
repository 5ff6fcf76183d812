"""A subset of Markdown as HTML that cannot do harm: what an author says about a model.

Headings, paragraphs, lists, quotes, fenced code, rules; in a line: code, strong, emphasis, and links to https, http and
mailto addresses without parentheses. Everything else is text: HTML is shown as it is written, an image as its
description, and a link to any other address as its words. Every character is escaped before a tag of ours is put
around it. The time is linear in the length of the text.
"""

from __future__ import annotations

import re
from html import escape

from ..errors import Defect, InputError

LONGEST = 100_000
"""Bytes of a text."""

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)")
_RULE = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
# No part may be looked for from many places to the end of the text: that would take its length squared.
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|!\[(?P<image>[^\[\]]*)\]\([^()\s]*\)"
    r"|\[(?P<words>[^\[\]]+)\]\((?P<address>[^()\s]+)\)"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[^*\s][^*]*)\*(?![\w*])"
)
_SAFE = re.compile(r"(?:https?://|mailto:)[!-~]+", re.IGNORECASE)


def render_markdown(text: str, name: str = "about") -> str:
    r"""The text as HTML; InputError if it is too long.

    >>> render_markdown("# Survey\n\nAsks *one* question: <b>yes</b>?")
    '<h3>Survey</h3>\n<p>Asks <em>one</em> question: &lt;b&gt;yes&lt;/b&gt;?</p>'
    >>> render_markdown("[us](https://example.org), [them](javascript:alert), ![a cat](https://example.org/cat.png)")
    '<p><a rel="noreferrer noopener" href="https://example.org">us</a>, them, a cat</p>'
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LONGEST:
        raise InputError(Defect(name, f"{size:,} bytes: at most {LONGEST:,} are shown", "give a shorter text"))
    return "\n".join(_blocks(text.replace("\r\n", "\n").split("\n")))


def _blocks(lines: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif fence := _FENCE.match(line):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip().startswith(fence[1])), len(lines))
            found.append(f'<pre tabindex="0">{escape(chr(10).join(lines[at + 1 : end]))}</pre>')
            at = end + 1
        elif heading := _HEADING.match(line):
            level = min(len(heading[1]) + 2, 6)  # the page has its own first two levels
            found.append(f"<h{level}>{_inline(heading[2].rstrip().rstrip('#').rstrip())}</h{level}>")
            at += 1
        elif _RULE.match(line):
            found.append("<hr>")
            at += 1
        else:
            end = next((i for i in range(at + 1, len(lines)) if _ends(lines[at], lines[i])), len(lines))
            found.append(_block(lines[at:end]))
            at = end
    return found


def _ends(first: str, line: str) -> bool:
    """Whether a line begins another block than the one that ``first`` began."""
    if not line.strip() or _HEADING.match(line) or _FENCE.match(line) or _RULE.match(line):
        return True
    return bool(_ITEM.match(line)) and not _ITEM.match(first)


def _block(lines: list[str]) -> str:
    """A list, a quote or a paragraph."""
    first = _ITEM.match(lines[0])
    if first:
        items: list[str] = []
        for line in lines:
            if item := _ITEM.match(line):
                items.append(item[3])
            else:
                items[-1] += f" {line.strip()}"
        kind = "ul" if first[1] else "ol"
        return f"<{kind}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{kind}>"
    if all(line.lstrip().startswith(">") for line in lines):
        return f"<blockquote><p>{_inline(' '.join(line.lstrip()[1:].strip() for line in lines))}</p></blockquote>"
    return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def _inline(text: str) -> str:
    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), _span(found)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def _span(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind == "address":
        words = escape(found["words"])
        address = found["address"]
        safe = _SAFE.fullmatch(address) is not None
        return f'<a rel="noreferrer noopener" href="{escape(address, quote=True)}">{words}</a>' if safe else words
    if kind == "image":
        return escape(found["image"])
    tag = {"code": "code", "strong": "strong", "emphasis": "em"}[kind or "code"]
    inner = escape(found["code"]) if kind == "code" else _inline(found[kind or "code"])
    return f"<{tag}>{inner}</{tag}>"
