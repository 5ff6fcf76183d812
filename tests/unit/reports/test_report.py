"""The report as a file: self-contained, escaped, the same each time, and true."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.beliefs import workspace
from deltachain.errors import InputError
from deltachain.measures.guess import find as guessing
from deltachain.numbers import fraction
from deltachain.reports.report import Report
from tests.words import says

HOSTILE = ["</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "<!--", "{{ 7*7 }}", "&lt;b&gt;"]


def hostile() -> dc.Chain:
    """A coin whose names and labels would rather be markup."""
    s, t, h, e, v = HOSTILE
    rows = {s: {h: "2/5", e: "3/5"}, t: {h: "3/5", e: "2/5"}, h: {h: 1}, e: {e: 1}}
    return dc.Chain.from_dicts(rows, {s: v, t: v, h: s, e: t}, relation=[(s, t)])


class Page(HTMLParser):
    """Every element with its attributes, and the texts of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the parser calls it so
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside].append(data)
        else:
            self.text.append(data)

    @property
    def data(self) -> Any:
        return json.loads(self.raw["script"][0])


@pytest.mark.parametrize(
    "chain", [dc.examples.survey(), hostile(), dc.examples.crowds()], ids=["survey", "hostile", "6"]
)
def test_nothing_is_loaded_and_the_policy_admits_our_style_and_script_alone(chain: dc.Chain) -> None:
    page = Page(dc.report(chain, epsilon=1, delta="1/100").html)
    names = [name for name, _ in page.elements]
    assert names.count("script") == 2
    assert not {"img", "link", "iframe", "object", "embed", "form", "base"} & set(names)
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcdoc")]
        assert (attributes.get("href") or "#").startswith(("#", "data:application/json;base64,"))
    policy = next(a["content"] for n, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    for kind, text in (("script", page.raw["script"][1]), ("style", page.raw["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_names_are_text() -> None:
    html = dc.report(hostile(), epsilon="1/10", delta="1/100", source="<b>&", command="<i>", notes=["<u>"]).html
    page = Page(html)
    assert not {"b", "i", "u"} & {name for name, _ in page.elements}
    assert "{{ 7*7 }}" in html
    words = [word["steps"][-1]["letter"] for word in page.data["words"]]
    assert set(words) <= set(HOSTILE)


def test_the_same_question_gives_the_same_bytes() -> None:
    one, two = (dc.report(dc.examples.survey(), epsilon=1, delta="1/100") for _ in range(2))
    assert one.html == two.html
    assert one.sha256 == two.sha256
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", one.html)


def test_the_certificate_inside_is_accepted() -> None:
    chain = dc.examples.survey()
    page = Page(dc.report(chain, epsilon=1, delta="1/100").html)
    link = next(a for n, a in page.elements if a.get("id") == "certificate")
    content = base64.b64decode((link["href"] or "").partition(",")[2])
    assert dc.verify(chain, json.loads(content))
    assert hashlib.sha256(content).hexdigest() in "".join(page.text)


def test_the_slider_reads_bounds_off() -> None:
    chain = dc.examples.survey()
    page = dc.report(chain, epsilon=1, delta="1/100")
    points = Page(page.html).data["points"]
    assert points[0]["text"] == "δ = 1/2 = 0.5"
    shown = points[Page(page.html).data["begin"]]
    assert shown["epsilon"] == "1"
    low, high = (Fraction(text) for text in re.findall(r"[\d.]+", shown["text"]))
    assert low <= page.found.lower <= page.found.upper <= high
    assert says(shown["exact"], "δ =")


@pytest.fixture(scope="module")
def sensor() -> Report:
    """A page with a band, and with the least ε for several δ."""
    chain = dc.examples.sticky_sensor()
    return dc.report(chain, epsilon="0.15", delta="1/20", epsilons=[0, "0.3"], max_nodes=60)


def test_a_band_is_sharpened_by_the_point_that_was_asked_for(sensor: Report) -> None:
    page = sensor
    points = Page(page.html).data["points"]
    assert {"0", "0.15", "0.3"} <= {point["epsilon"] for point in points}
    assert [p.epsilon for p in page.profile.points] == [0, Fraction("0.15"), Fraction("0.3")]
    assert page.profile.delta(epsilon="0.15").upper <= page.found.upper
    assert "certified band" in page.html


def coins() -> dc.Chain:
    """Two coins within limits, from counts."""
    counts = {"s": {"h": 420, "t": 580}, "u": {"h": 560, "t": 440}}
    labels = {"s": "start", "u": "start", "h": "heads", "t": "tails"}
    known = {"h": {"h": 1}, "t": {"t": 1}}
    return dc.Chain.from_counts(counts, labels, confidence="0.99", rows=known, relation=[("s", "u")])


def test_a_report_of_limits_tells_them_from_the_search() -> None:
    page = dc.report(coins(), epsilon="1/10", delta="1/20")
    read = Page(page.html)
    text = "".join(read.text)
    assert page.found.verdict == "violated by some"
    assert says(text, "Not private within")
    assert says(text, "limits leave open")
    assert says(text, "search leaves open")
    assert "with confidence 0.99" in text
    assert "Nothing was found" not in text, "some chain does tell them apart"
    assert page.html.count('class="limits"') >= 2, "on both axes"
    assert page.html.count('class="inside"') == 4 * len(page.profile.points), "on both axes"
    assert {row.split(",")[-1] for row in page.profile.csv().splitlines()} == {"confidence", "99/100"}
    points = read.data["points"]
    for point in points:
        told = re.search(r"chains found inside reach from ([\d.e-]+) to ([\d.e-]+)", point["text"])
        assert told is not None
        least, largest = page.profile.extremes(Fraction(point["epsilon"].removeprefix("≈ ")))
        if not point["epsilon"].startswith("≈"):
            assert Fraction(told[1]) >= least
            assert Fraction(told[2]) <= largest


def epsilon_rows(page: Report) -> list[tuple[str, str, str]]:
    """δ, from which ε on it is proved, and below which refuted: as the page shows it."""
    (table,) = re.findall(r'<table id="epsilons".*?</table>', page.html, re.DOTALL)
    rows = re.findall(r"<td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>", table)
    assert len(rows) >= 5
    return rows


def test_the_table_of_epsilons_answers_as_epsilon_does(sensor: Report) -> None:
    chain = dc.examples.sticky_sensor()
    rows = epsilon_rows(sensor)
    assert [row[0] for row in rows] == ["0", "1e-9", "0.000001", "0.001", "0.01", "0.05"]
    for allowed, proved, refuted in rows[::2]:
        bound = dc.epsilon(chain, delta=allowed, max_nodes=60, precision="1/1000")
        assert bound.epsilon is not None
        assert Fraction(proved) >= Fraction(refuted)
        assert Fraction(refuted) <= bound.epsilon
        assert Fraction(proved) >= bound.epsilon_refuted
        assert abs(Fraction(proved) - bound.epsilon) < Fraction(1, 20)
    for side in (1, 2):
        shown = [Fraction(row[side]) for row in rows]
        assert shown == sorted(shown, reverse=True), "the larger δ is, the smaller is ε"


def test_no_epsilon_is_enough_where_an_output_is_possible_from_one_state_alone() -> None:
    rows = epsilon_rows(dc.report("example:coin,p=0", epsilon=1, delta="1/10"))
    assert {row[1:] for row in rows} == {("none: δ must be at least 1", "every ε")}


@pytest.mark.parametrize(
    ("delta", "verdict", "words"),
    [
        ("1/2", "private", "No observer"),
        ("1/100", "violated", "An observer can tell"),
        (None, None, "No δ limit was given"),
    ],
)
def test_the_verdict_is_in_plain_words(delta: str | None, verdict: str | None, words: str) -> None:
    page = dc.report(dc.examples.survey(), epsilon="1/2", delta=delta)
    assert getattr(page.found, "verdict", None) == verdict
    assert words in page.html


def test_undecided_is_said() -> None:
    chain = dc.examples.sticky_sensor()
    known = dc.delta(chain, exp_epsilon="1.01", max_nodes=2)
    assert not known.exact
    middle = (known.lower + known.upper) / 2
    page = dc.report(chain, exp_epsilon="1.01", delta=middle, epsilons=[0, 1], max_nodes=2)
    assert "was not decided" in page.html


def test_labels_that_differ_give_the_secret_away_at_once() -> None:
    page = dc.report(dc.examples.coin(), "s0", "heads", epsilon=1, delta="1/2")
    assert says(page.html, "observer can tell")


def test_a_report_is_saved_and_the_prior_is_checked(tmp_path: Path) -> None:
    page = dc.report(dc.examples.survey(), epsilon=1, prior="1/10")
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8") == page.html
    assert page.size == (tmp_path / "report.html").stat().st_size < 2_000_000
    with pytest.raises(InputError, match="prior"):
        dc.report(dc.examples.survey(), epsilon=1, prior=1)


def test_an_author_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "coin.json").write_bytes(b"")
    dc.save(dc.examples.coin(), tmp_path / "coin.json")
    content = (tmp_path / "coin.json").read_bytes()
    said = {"title": "Two <coins>", "author": "A. N. Other", "date": "2026-11-17", "about": "# Why\n\n<b>*Because*</b>"}
    page = dc.report(tmp_path / "coin.json", epsilon=1, source="coin.json", **said).html
    assert "<h1>Two &lt;coins&gt;</h1>" in page
    assert says(page, "A. N. Other")
    assert "<h3>Why</h3>\n<p>&lt;b&gt;<em>Because</em>&lt;/b&gt;</p>" in page
    assert hashlib.sha256(content).hexdigest() in page
    assert "deltachain.chain/1" in page, "the source is shown"
    assert str(tmp_path) not in page
    assert page == dc.report(tmp_path / "coin.json", epsilon=1, source="coin.json", **said).html


def test_every_defect_of_what_an_author_says_is_told() -> None:
    with pytest.raises(InputError) as caught:
        dc.report(dc.examples.coin(), epsilon=1, title=" ", author="a" * 301, date="17.11.2026", about="a" * 100_001)
    assert [defect.where for defect in caught.value.defects] == ["title", "author", "date", "about"]


def test_a_file_that_is_no_text_is_hashed_and_not_shown(tmp_path: Path) -> None:
    from deltachain.reports.report import LARGEST_SHOWN, model_text

    for content in (b"\xff\xfe\x00", b"a\x00b", b" " * (LARGEST_SHOWN + 1)):
        (tmp_path / "m.umb").write_bytes(content)
        told = model_text(tmp_path / "m.umb")
        assert told is not None
        assert (told.name, told.text) == ("m.umb", None)
        assert told.sha256 == hashlib.sha256(content).hexdigest()
    assert model_text("example:coin") is None
    (tmp_path / "p.py").write_text("# \u202etxet", "utf-8")
    told = model_text(f"{tmp_path}/p.py:f,n=2")
    assert told is not None
    assert told.text == r"# \u202etxet", "nothing turns the direction of the text"


def test_words_say_what_the_model_says() -> None:
    page = dc.report(dc.examples.survey(), epsilon=1).html
    assert "the observer, sees" not in page
    assert "1e-9 (" not in page
    assert says(page, "for each step")
    assert says(page, "one likelihood ratio")
    assert says(page, "times as likely")
    large = dc.report(dc.examples.dining_cryptographers(n=4), epsilon=1, delta="1/2").html
    assert "not computed" not in large
    assert "δ beside the distances" not in large


@pytest.mark.parametrize(
    "chain", [dc.examples.survey(), pytest.param(dc.examples.sticky_sensor(), marks=pytest.mark.slow)]
)
def test_what_a_report_needs_is_made_once(chain: dc.Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    """One quotient for δ, curve, distances, guesses and pictures; one enclosure of e^ε for each ε.

    δ of the pairs that a distance is explained by is searched for on that quotient, which is merged once more.
    """
    merged: list[object] = []
    enclosed: list[object] = []
    enclose = fraction.enclosures.exp

    def spied(merge: Callable[..., object]) -> Callable[..., object]:
        def spied_merge(*given: object, **more: object) -> object:
            merged.append(given)
            return merge(*given, **more)

        return spied_merge

    def spied_enclose(*given: object) -> object:
        enclosed.append(given)
        return enclose(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(workspace, "quotient", spied(workspace.quotient))
    monkeypatch.setattr(workspace, "quotient_in_time", spied(workspace.quotient_in_time))
    monkeypatch.setattr(guessing, "quotient_in_time", spied(guessing.quotient_in_time))
    monkeypatch.setattr(fraction.enclosures, "exp", spied_enclose)
    fraction._around.cache_clear()
    page = dc.report(chain, epsilon="1/2", max_nodes=50, check=False)
    assert "sd" in page.html
    assert len(merged) == 2
    assert len(enclosed) == len(set(enclosed)) > 5


def test_what_an_attacker_gains_is_said_with_its_proof(tmp_path: Path) -> None:
    page = dc.report(dc.examples.dining_cryptographers(n=3, p="49/100"), epsilon="0.1")
    page.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert says(text, "secret with probability")
    assert "The corners, exactly" in text
    assert says(text, "alarms (f-DP); checked")
    asked = dc.report(dc.examples.adaptive_survey(), epsilon="0.1")
    asked.save(tmp_path / "asked.html")
    assert says((tmp_path / "asked.html").read_text("utf-8"), "for guessing where")


def test_a_large_epsilon_is_rounded_outward() -> None:
    rare = Fraction(1, 10**500)
    rows = {"s": {"a": rare, "b": 1 - rare}, "t": {"a": 1 - rare, "b": rare}, "a": {"a": 1}, "b": {"b": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "go", "t": "go", "a": "a", "b": "b"}, relation=[("s", "t")])
    page = dc.report(chain, epsilon=1).html
    private, not_private = (
        re.findall(rf'"{head}">([^<]*)', page)[0] for head in ("private from ε", "not private below ε")
    )
    least = dc.epsilon(chain, delta=0)
    assert least.epsilon is not None
    assert Fraction(private) >= least.epsilon > 1000
    assert Fraction(not_private) <= least.epsilon_refuted
