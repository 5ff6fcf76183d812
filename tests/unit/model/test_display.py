"""What a notebook shows: a picture where dot is installed and the chain is small, a table otherwise, never an error."""

from __future__ import annotations

import os
import stat
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain.model import Chain, display
from deltachain.model.display import chain_to_html
from tests.words import says

COIN = Chain.from_dicts({"<s>": {"<s>": "1/2", "t": "1/2"}, "t": {"t": 1}}, {"<s>": "a&b", "t": "b"})


def install_dot(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program called dot that does what the script says, alone on the path."""
    program = folder / "dot"
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", os.fspath(folder))


ECHO = "import sys; print('<?xml?><svg>' + sys.stdin.read() + '</svg>')"


def test_without_dot_it_is_a_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    html = COIN._repr_html_()
    assert html.startswith("<table><caption>Chain: 2 states")
    assert says(html, "<td>&lt;s&gt;</td><td>a&amp;b</td><td>&lt;s&gt")


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for dot is a script")
def test_with_dot_it_is_the_picture_that_dot_draws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_dot(tmp_path, ECHO, monkeypatch)
    html = COIN._repr_html_()
    assert html.startswith("<svg>digraph chain {")
    assert says(html, 'label="1/2')


def test_inputs_are_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = {"s": {"<look>": {"h": "1/2", "s": "1/2"}, "wait": {"s": 1}}, "h": {"h": 1}}
    box = Chain.from_dicts(rows, {"s": "closed", "h": "open"})
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    html = box._repr_html_()
    assert says(html, "<tr><td>s</td><td>closed</td><td>&lt;look&gt;</td><td>s")
    assert "<tr><td>h</td><td>open</td><td></td><td>h: 1</td></tr>" in html
    if os.name != "nt":
        install_dot(tmp_path, ECHO, monkeypatch)
        drawn = box._repr_html_()
        assert says(drawn, 'label="<look>", arrowhead=none')
        assert says(drawn, 'label="1/2')
        assert says(drawn, 'label="1')


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for dot is a script")
@pytest.mark.parametrize("script", ["raise SystemExit(1)", "print('no picture')", "import time; time.sleep(60)"])
def test_a_dot_that_fails_or_hangs_leaves_the_table(
    script: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install_dot(tmp_path, script, monkeypatch)
    monkeypatch.setattr(display, "DOT_SECONDS", 0.5)
    assert COIN._repr_html_().startswith("<table>")


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for dot is a script")
def test_large_chains_are_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_dot(tmp_path, ECHO, monkeypatch)
    size = display.PICTURED_STATES
    assert chain_to_html(ring(size)).startswith("<svg>")
    html = chain_to_html(ring(size + 1))
    assert html.startswith("<table>")
    assert f"… {size + 1 - display.TABLE_ROWS} more" in html


def ring(size: int) -> Chain:
    return Chain.from_rows([{(i + 1) % size: 1} for i in range(size)], ["a"] * size)


def test_long_numbers_and_odd_names_do_not_break_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = Fraction(1, 3**5000)
    odd = Chain.of_rows(("\ud800", '"'), ("\0", "\\"), (((0, long), (1, 1 - long)), ((1, Fraction(1)),)))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert "…" in odd._repr_html_()
    if os.name != "nt":
        install_dot(tmp_path, ECHO, monkeypatch)
        assert odd._repr_html_().startswith("<svg>")


def test_limits_are_shown_outward(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    third = Fraction(1, 3)
    near = third - Fraction(1, 10**30), third + Fraction(1, 10**30)
    rows = {"s": {"s": near, "t": ("1/2", "2/3")}, "t": {"t": 1}}
    box = Chain.from_dicts(rows, {"s": "a", "t": "b"}, rest={"s": "1/7"})
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert says(box._repr_html_(), "elsewhere: up to")
    if os.name != "nt":
        install_dot(tmp_path, ECHO, monkeypatch)
        assert '0 -> 0 [label="[0.333333, 0.333334]"]' in box._repr_html_()
