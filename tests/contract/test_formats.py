"""What every format that is read and written must do: give back the chain it was given, and fail cleanly."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain import load
from deltachain.errors import FormatError, InputError, InteractiveChain, ModelError
from deltachain.formats import FORMATS, format_of, load_with_notes, save
from deltachain.model import Chain
from deltachain.numbers.fraction import MAX_DIGITS, parse_fraction
from deltachain.settings import Settings
from tests.amounts import part_of
from tests.words import refuses

READ_AND_WRITTEN = [name for name in FORMATS if format_of(name).read is not None and format_of(name).written]
BINARY = ["umb"]
every_format = pytest.mark.parametrize("suffix", [name for name in READ_AND_WRITTEN if name not in BINARY])
every_format_of_files = pytest.mark.parametrize("suffix", READ_AND_WRITTEN)

# What each format holds beyond rows and labels.
HOLDS_NAMES = {"json", "tra"}
HOLDS_RELATION = {"json"}
HOLDS_INPUTS = {"json", "drn", "umb"}


def test_the_contract_covers_every_format_that_is_read() -> None:
    assert [*FORMATS] == [
        name for name in ("json", "drn", "tra", "csv", "lmc", "dot", "tex", "umb", "prism", "jani") if name in FORMATS
    ]
    assert set(READ_AND_WRITTEN) == {"json", "drn", "tra", "umb"} & {*FORMATS}  # others have tests of their own


def need(suffix: str) -> None:
    """Skip where the extra that a binary format needs is not installed."""
    if suffix in BINARY:
        pytest.importorskip("umbi", reason="needs the extra umb")


def carried(chain: Chain, suffix: str) -> Chain:
    """The part of the chain that the format holds."""
    return Chain(
        chain.states if suffix in HOLDS_NAMES else tuple(map(str, range(len(chain)))),
        chain.labels,
        chain.moves,
        chain.relation if suffix in HOLDS_RELATION else (),
        chain.valuations if suffix in HOLDS_NAMES else None,
        chain.inputs,
    )


WEIRD_LABELS = [
    "", "a", "b", "a,b", "b,a", "a,,b", ",", "a,", "a,a", "init", "deadlock", "deadlock,init", "a,init", "0",
    "two words", " lead", "trail ", "tab\there", "[0]", "[", "{x}", "!1", "//", "// x", "#END", "0: 1", "a=1",
    "state 0", "é", "λ,μ", "\u00a0", "\u2028", "\u0085", "\x0b", "\x00", "\ufeff", "😀", "$x", "\\", "'",
    "@model", "a, b", "(1,2)",
]  # fmt: skip
WEIRD_NAMES = [
    *WEIRD_LABELS,
    'quo"te',
    "line\nbreak",
    "\r",
    "\ud800",
    "(x,y)",
    "1",
    "2",
    "00",
    "@name",
    "true",
]

probabilities = st.lists(st.integers(1, 60), min_size=1, max_size=4).map(lambda w: [Fraction(x, sum(w)) for x in w])
values = st.one_of(
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([10**5000, "", "1", "true", "x,y", '"', "(", ")", "\n", " "]),
)


@st.composite
def chains(draw: st.DrawFn, *, interactive: bool = False) -> Chain:
    size = draw(st.integers(1, 6))
    states = draw(st.lists(st.sampled_from(WEIRD_NAMES), min_size=size, max_size=size, unique=True))
    if draw(st.booleans()):
        states = [str(i) for i in range(size)]
    labels = draw(st.lists(st.sampled_from(WEIRD_LABELS), min_size=size, max_size=size))
    names = st.lists(st.sampled_from([*WEIRD_LABELS, "1", "__NOLABEL__"]), min_size=1, max_size=3, unique=True)
    inputs = {label: tuple(sorted(draw(names))) for label in sorted(set(labels)) if interactive and draw(st.booleans())}
    moves = []
    for label in labels:
        rows = []
        for _ in inputs.get(label, (None,)):
            numbers = draw(probabilities)
            numbers = numbers if len(numbers) <= size else [Fraction(1)]
            targets = draw(st.permutations(range(size)))[: len(numbers)]
            rows.append(tuple(sorted(zip(targets, numbers, strict=True))))
        moves.append(tuple(rows))
    states_of = st.integers(0, size - 1)
    relation = draw(st.lists(st.tuples(states_of, states_of), max_size=3))
    valuations = None
    if draw(st.booleans()):
        variable = st.sampled_from(["x", "y", "@name", "a,b", "", "(", '"'])
        found = [draw(st.dictionaries(variable, values, max_size=3)) for _ in range(size)]
        valuations = tuple(found) if any(found) else None
    return Chain(tuple(states), tuple(labels), tuple(moves), tuple(relation), valuations, inputs)


@every_format
@settings(deadline=None, max_examples=part_of(80))
@given(chain=chains())
def test_what_is_saved_is_loaded_exactly(suffix: str, chain: Chain) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{suffix}"
        save(chain, path)
        again = load(path, keep_labels=True)
        assert again == carried(chain, suffix)
        assert not [left for left in Path(folder).iterdir() if left.suffix == ".tmp"]
        # Saving what was loaded gives the same text: the writers have one way to say a thing.
        text = path.read_bytes()
        save(again.with_relation(chain.relation) if suffix in HOLDS_RELATION else again, path)
        assert path.read_bytes() == text


@every_format
@settings(deadline=None, max_examples=part_of(60))
@given(chain=chains(interactive=True))
def test_inputs_come_back_or_are_refused(suffix: str, chain: Chain) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{suffix}"
        if chain.interactive and suffix not in HOLDS_INPUTS:
            with pytest.raises(InteractiveChain, match="the observer chooses inputs at label"):
                save(chain, path)
            assert list(Path(folder).iterdir()) == []
            return
        save(chain, path)
        assert load(path, keep_labels=True) == carried(chain, suffix)


@every_format
@settings(deadline=None, max_examples=part_of(60))
@given(name=st.text(max_size=6) | st.text(alphabet='a0,"[\n\r \t\ud800', max_size=4))
def test_any_input_comes_back_or_is_refused_by_state(suffix: str, name: str) -> None:
    names = tuple(sorted({name, "other"}))
    chain = Chain(("s",), ("l",), ((((0, Fraction(1)),),) * len(names),), (), None, {"l": names})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{suffix}"
        try:
            save(chain, path)
        except InputError as error:
            refusal = error
        else:
            assert load(path).inputs == chain.inputs
            return
        assert suffix not in HOLDS_INPUTS or (suffix != "json" and set(name) & set('"\n\r\ud800'))
        assert suffix not in HOLDS_INPUTS or [defect.where for defect in refusal.defects] == ["state 's'"]
        assert list(Path(folder).iterdir()) == []


@every_format
@settings(deadline=None, max_examples=part_of(60))
@given(label=st.text(max_size=8) | st.text(alphabet='a,"\n\r \t\ud800', max_size=5))
def test_any_label_comes_back_or_is_refused_by_state(suffix: str, label: str) -> None:
    chain = Chain.of_rows(("s", "t"), (label, "other"), (((0, Fraction(1)),), ((1, Fraction(1)),)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{suffix}"
        try:
            save(chain, path)
        except InputError as error:
            refusal = error
        else:
            assert load(path, keep_labels=True).labels == chain.labels
            return
        assert suffix != "json"
        assert set(label) & set('"\n\r\ud800')
        assert [defect.where for defect in refusal.defects] == ["state 's'"]
        assert list(Path(folder).iterdir()) == []


def two_states(first: Fraction) -> Chain:
    return Chain.from_dicts({"0": {"0": first, "1": 1 - first}, "1": {"1": 1}}, {"0": "a", "1": "b"})


@every_format_of_files
def test_probabilities_of_ten_thousand_digits(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    digits = random.Random(7).choices("123456789", k=10_000)
    first = parse_fraction("0." + "".join(digits))
    assert first.denominator > 10**9000
    chain = two_states(first)
    save(chain, tmp_path / f"model.{suffix}")
    assert load(tmp_path / f"model.{suffix}") == chain


@every_format
def test_a_number_too_long_to_read_back_is_not_written(suffix: str, tmp_path: Path) -> None:
    chain = two_states(Fraction(1, 7 * 10**MAX_DIGITS))
    with pytest.raises(InputError, match="the limit is") as caught:
        save(chain, tmp_path / f"model.{suffix}")
    assert caught.value.defects[0].where == "state '0'"
    assert list(tmp_path.iterdir()) == []


@every_format
def test_numbers_are_read_from_their_digits(suffix: str, tmp_path: Path) -> None:
    save(two_states(Fraction(1, 10)), tmp_path / f"model.{suffix}")
    text = (tmp_path / f"model.{suffix}").read_text()
    assert ("0.1" in text) is (suffix != "json")
    assert load(tmp_path / f"model.{suffix}").probability("0", "0") == Fraction(1, 10)


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@every_format
def test_rounded_rows_are_refused_unless_normalised_and_then_it_is_said(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    save(two_states(Fraction(1, 3)), path)
    spoil(path, "1/3", "0.333333")
    with refuses(ModelError, "row sums to") as caught:
        load(path)
    assert str(path) in caught.value.defects[0].where
    assert "state '0'" in caught.value.defects[0].where
    loaded = load_with_notes(path, Settings(normalise=True))
    total = Fraction(333333, 10**6) + Fraction(2, 3)
    assert loaded.chain.probability("0", "0") == Fraction(333333, 10**6) / total
    assert loaded.notes == ("normalised 1 row whose sum was not 1 (state '0', sum 2999999/3000000)",)


@every_format
def test_a_sound_file_leaves_no_note(suffix: str, tmp_path: Path) -> None:
    save(two_states(Fraction(1, 3)), tmp_path / f"model.{suffix}")
    assert load_with_notes(tmp_path / f"model.{suffix}", Settings(normalise=True)).notes == ()


@every_format
def test_a_byte_order_mark_and_carriage_returns_are_accepted(suffix: str, tmp_path: Path) -> None:
    save(two_states(Fraction(1, 3)), tmp_path / f"model.{suffix}")
    for path in tmp_path.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load(tmp_path / f"model.{suffix}") == two_states(Fraction(1, 3))


@every_format
def test_text_that_is_not_utf8_is_refused_with_its_place(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    save(two_states(Fraction(1, 3)), path)
    lines = path.read_bytes().split(b"\n")
    lines[1] = "é".encode() + b" \xff" + lines[1]
    path.write_bytes(b"\n".join(lines))
    with refuses(FormatError, "byte 0xff is") as caught:
        load(path)
    assert caught.value.defects[0].where == f"{path}:2:3"


@every_format
@pytest.mark.parametrize("content", ["", "\n", "garbage", "\0", "{", "[1]", "0", "@model", "dtmc", "1 1 1 1 1 1"])
def test_garbage_is_refused_as_such(suffix: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    path.write_text(content)
    (tmp_path / "model.lab").write_text(content)
    with pytest.raises(FormatError) as caught:
        load(path)
    assert caught.value.defects[0].where.startswith(f"{path}:")


@every_format
def test_cut_short_anywhere_it_is_refused_or_says_the_same(suffix: str, tmp_path: Path) -> None:
    chain = Chain.from_rows([["1/2", "1/2", 0], [0, "1/3", "2/3"], [0, 0, 1]], ["a", "b", "c,d"])
    path = tmp_path / f"model.{suffix}"
    save(chain, path)
    whole = path.read_text()
    refused = []
    for length in range(len(whole)):
        path.write_text(whole[:length])
        try:
            assert load(path) == chain, f"cut to {length} characters"
        except InputError as refusal:
            refused.append(refusal)
    assert len(refused) > len(whole) / 2


@every_format_of_files
def test_a_missing_file_and_a_directory_are_refused(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / f"none.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises(InputError, match="directory"):
        load(tmp_path / f"folder.{suffix}")


@every_format_of_files
def test_an_unwritable_place_is_refused(suffix: str, tmp_path: Path) -> None:
    need(suffix)
    with pytest.raises(InputError, match="cannot be written"):
        save(two_states(Fraction(1, 2)), tmp_path / "no" / "such" / f"model.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises(InputError, match="directory"):
        save(two_states(Fraction(1, 2)), tmp_path / f"folder.{suffix}")
    assert [left.name for left in tmp_path.iterdir()] == [f"folder.{suffix}"]
