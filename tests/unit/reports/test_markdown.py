"""Markdown that cannot do harm."""

from __future__ import annotations

import re

import pytest

from deltachain.errors import InputError
from deltachain.reports.markdown import LONGEST, render_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://example.org/x.png)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    '[x](https://example.org/"onmouseover="alert(1))',
    "`</code><script>alert(1)</script>`",
    "```\n</pre><script>alert(1)</script>\n```",
    "**<b onclick=alert(1)>**",
    "# <h1 onclick=alert(1)>",
    "- <li onclick=alert(1)>",
    "> <style>*{display:none}</style>",
    "[<script>](https://example.org)",
    "&lt;script&gt;",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_only_our_own_tags_come_out(text: str) -> None:
    html = render_markdown(text)
    tags = set(re.findall(r"<(/?\w+[^>]*)>", html))
    plain = {"p", "h3", "ul", "li", "code", "strong", "blockquote"}
    for tag in tags:
        name = tag.lstrip("/")
        assert (
            name in plain
            or name in ('pre tabindex="0"', "pre", "a")
            or re.fullmatch(r'a rel="noreferrer noopener" href="https://example\.org[^"\s]*"', name)
        ), tag


def test_the_usual_marks() -> None:
    text = (
        "# A\n\none *two* **three** `four`\nfive\n\n- a\n- b\n  c\n\n1. x\n2. y\n\n> quoted\n\n---\n\n```py\na < b\n```"
    )
    assert render_markdown(text).split("\n") == [
        "<h3>A</h3>",
        "<p>one <em>two</em> <strong>three</strong> <code>four</code> five</p>",
        "<ul><li>a</li><li>b c</li></ul>",
        "<ol><li>x</li><li>y</li></ol>",
        "<blockquote><p>quoted</p></blockquote>",
        "<hr>",
        '<pre tabindex="0">a &lt; b</pre>',
    ]


def test_a_text_is_limited() -> None:
    assert render_markdown("a" * LONGEST)
    with pytest.raises(InputError, match="at most 100,000"):
        render_markdown("ä" * LONGEST)


LONG = ("*", "[", "`", "**a", "[a](", "> ", "![", "*a ", "`a", "[x]", "- a\n", "```\n", ">\n", "1. # a\n")


@pytest.mark.parametrize("text", [*(part * (LONGEST // len(part)) for part in LONG), "# " + "#" * 90_000 + "a"])
def test_the_longest_texts_are_read_in_linear_time(text: str) -> None:
    """Where a mark is looked for from every place to the end, one of these takes minutes."""
    assert render_markdown(text)
