"""UMB through umbi: what is saved comes back exactly, what Storm writes is read, and every refusal."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain import examples, load
from deltachain.errors import BackendMissing, FormatError, InputError, ModelError
from deltachain.formats import load_with_notes, save
from deltachain.model import Chain
from deltachain.settings import Settings
from deltachain_storm.stormpy_models import from_stormpy
from deltachain_storm.umb import variables_of
from tests.amounts import part_of
from tests.reference.interactive import random_system
from tests.reference.random_chains import random_chain
from tests.words import refuses, says

pytest.importorskip("umbi", reason="needs the extra umb")

DINERS = examples.dining_cryptographers(n=2)


def rewritten(source: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A copy of the archive with its members changed."""
    with tarfile.open(source) as archive:
        members = {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}  # type: ignore[union-attr]
    change(members)
    with tarfile.open(target, "w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target


def with_index(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of the archive with its index changed."""

    def edit(members: dict[str, bytes]) -> None:
        index = json.loads(members["index.json"])
        change(index)
        members["index.json"] = json.dumps(index).encode()

    return rewritten(source, target, edit)


@pytest.fixture
def diners(tmp_path: Path) -> Path:
    save(DINERS, tmp_path / "diners.umb")
    return tmp_path / "diners.umb"


def test_labels_rows_valuations_and_all_pairs_come_back(diners: Path) -> None:
    loaded = load_with_notes(diners)
    chain = loaded.chain
    assert (chain.labels, chain.rows, chain.relation) == (DINERS.labels, DINERS.rows, DINERS.relation)
    assert chain.valuations == DINERS.valuations
    assert chain.pairs == (("payer=0", "payer=1"),)
    assert loaded.notes == ()


def test_the_same_chain_gives_the_same_bytes(diners: Path, tmp_path: Path) -> None:
    save(DINERS, tmp_path / "again.umb")
    assert (tmp_path / "again.umb").read_bytes() == diners.read_bytes()


@settings(deadline=None, max_examples=part_of(60))
@given(seed=st.integers(0, 10**6), odd=st.text(max_size=6))
def test_random_chains_with_odd_labels_come_back(seed: int, odd: str) -> None:
    plain = random_chain(Random(seed))
    labels = tuple(odd if label == plain.labels[0] else label for label in plain.labels)
    chain = Chain.of_rows(plain.states, labels, plain.rows)
    with tempfile.TemporaryDirectory() as folder:
        save(chain, Path(folder) / "m.umb")
        if not any(chain.labels):
            with pytest.raises(InputError, match="no labels"):
                load(Path(folder) / "m.umb")
            return
        again = load(Path(folder) / "m.umb", keep_labels=True)
    assert (again.states, again.labels, again.rows) == (chain.states, chain.labels, chain.rows)


def test_variables_that_the_format_does_not_hold_are_left_out(tmp_path: Path) -> None:
    values: dict[str, dict[str, object]] = {
        "0": {"i": -(2**63), "b": True, "c": True, "t": "text", "big": 2**63, "mixed": 1},
        "1": {"i": 2**63 - 1, "b": False, "t": "x", "big": 0, "mixed": True},
    }
    chain = Chain.from_dicts({"0": {"1": 1}, "1": {"0": 1}}, {"0": "a", "1": "b"}, valuations=values)
    save(chain, tmp_path / "m.umb")
    assert load(tmp_path / "m.umb").valuations == ({"i": -(2**63), "b": True}, {"i": 2**63 - 1, "b": False})


def test_a_relation_that_is_not_all_pairs_is_left_out(tmp_path: Path) -> None:
    chain = Chain.from_rows([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["a", "a", "b"], relation=[("0", "1"), ("1", "2")])
    save(chain, tmp_path / "m.umb")
    assert load(tmp_path / "m.umb").relation == ()


def test_what_is_visible_can_be_chosen(diners: Path) -> None:
    assert load(diners, observe_labels=["1"]).alphabet == ("", "1")
    assert "payer=0" in load(diners, observe=["payer"]).alphabet
    with pytest.raises(InputError, match="no variable 'x'"):
        load(diners, observe=["x"])
    with pytest.raises(InputError, match="`constants`"):
        load(diners, constants={"p": 1})


# Inputs.

BOX = Chain.from_dicts(
    {
        "0": {"look": {"2": "1/2", "3": "1/2"}, "wait": {"0": 1}},
        "1": {"look": {"2": "1/4", "3": "3/4"}, "wait": {"1": 1}},
        "2": {"2": 1},
        "3": {"again": {"0": 1}},
    },
    {"0": "closed", "1": "closed", "2": "heads", "3": "tails"},
    relation=[("0", "1")],
)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    save(BOX, tmp_path / "box.umb")
    return tmp_path / "box.umb"


def test_inputs_come_back(box: Path) -> None:
    assert load(box) == BOX


@settings(deadline=None, max_examples=part_of(60))
@given(seed=st.integers(0, 10**6), odd=st.text(min_size=1, max_size=6))
def test_random_systems_with_odd_inputs_come_back(seed: int, odd: str) -> None:
    chain = random_system(Random(seed))
    if chain.interactive:
        label, names = next(iter(chain.inputs.items()))
        renamed = {**chain.inputs, label: (*names[:-1], f"i9{odd}")}
        chain = Chain(chain.states, chain.labels, chain.moves, chain.relation, None, renamed)
    with tempfile.TemporaryDirectory() as folder:
        save(chain, Path(folder) / "m.umb")
        assert load(Path(folder) / "m.umb") == chain


@pytest.mark.parametrize(("name", "why"), [("", "it would read as no name"), ("\ud800", "lone surrogate")])
def test_inputs_that_would_not_come_back_are_refused(name: str, why: str, tmp_path: Path) -> None:
    chain = Chain.from_dicts({"s": {name: {"s": 1}, "b": {"s": 1}}}, {"s": "a"})
    with pytest.raises(InputError, match=why) as caught:
        save(chain, tmp_path / "m.umb")
    assert [defect.where for defect in caught.value.defects] == ["state 's'"]
    assert list(tmp_path.iterdir()) == []


def test_storm_reads_our_inputs_and_we_read_storms(box: Path, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy", reason="needs the extra storm")
    options = stormpy.io.UmbImportOptions()
    options.value_type = stormpy.io.UmbImportValueType.RATIONAL
    model = stormpy.build_model_from_umb(str(box), options=options)
    assert (model.model_type.name, model.nr_choices) == ("MDP", 6)
    again = from_stormpy(model)
    assert (again.moves, again.labels, again.inputs) == (BOX.moves, BOX.labels, BOX.inputs)
    options.value_type = stormpy.io.UmbImportValueType.DOUBLE
    doubles = stormpy.build_model_from_umb(str(box), options=options)
    stormpy.io.export_to_umb(doubles, str(tmp_path / "storm.umb"), options=stormpy.io.UmbExportOptions())
    assert load(tmp_path / "storm.umb") == BOX


def little(numbers: Iterable[int], width: int = 8) -> bytes:
    return b"".join(number.to_bytes(width, "little") for number in numbers)


@pytest.mark.parametrize(
    ("member", "content", "part"),
    [
        ("state-to-choices.bin", little([0, 2, 4, 4, 6]), "gives state 2 no choice"),
        ("state-to-choices.bin", little([0, 2, 4, 5, 7]), "runs from 0 to 7; there are 6 choices"),
        ("state-to-choices.bin", little([0, 2**63, 4, 5, 6]), "gives state 1 no choice"),
        ("actions/choices/values.bin", little([1, 2, 1, 2, 0, 9], 4), "names an action beyond the 4"),
        ("actions/choices/values.bin", little([2, 2, 2, 3, 0, 1], 4), "2 of its actions are named 'look'"),
        ("actions/choices/values.bin", little([2, 0, 2, 3, 0, 1], 4), "2 actions, 1 of them without a name"),
        ("actions/choices/values.bin", little([2, 1, 2, 3, 0, 1], 4), "it offers 'look', 'wait', but '0', of the same"),
        ("actions/choices/values.bin", little([2, 1], 4), "has 8 bytes; by the index it has 24"),
        ("actions/choices/string-mapping.bin", little([0, 0, 5, 3, 13]), "does not cut"),
        ("actions/choices/string-mapping.bin", little([0, 0, 5, 9, 12]), "does not cut"),
        ("actions/choices/strings.bin", b"again\xffook\xffait", "not a UMB model"),
    ],
)
def test_broken_choices_are_refused(member: str, content: bytes, part: str, box: Path, tmp_path: Path) -> None:
    path = rewritten(box, tmp_path / "m.umb", lambda members: members.update({member: content}))
    with pytest.raises(InputError) as caught:
        load(path)
    assert part in str(caught.value)


def test_choices_without_names_are_refused(box: Path, tmp_path: Path) -> None:
    def edit(members: dict[str, bytes]) -> None:
        del members["actions/choices/string-mapping.bin"], members["actions/choices/strings.bin"]

    with refuses(ModelError, "of them without"):
        load(rewritten(box, tmp_path / "m.umb", edit))


# Files that Storm writes and reads.

BOUNDED = """dtmc
module m
  x : [-2..5] init -2;
  b : bool init true;
  [] x<5 -> 1/4:(x'=x+1)&(b'=!b) + 3/4:(x'=-2);
endmodule
label "high" = x>3;
label "low" = x<0;
"""


def written_by_storm(folder: Path, *, compression: str = "DEFAULT") -> Path:
    stormpy = pytest.importorskip("stormpy", reason="needs the extra storm")
    (folder / "m.prism").write_text(BOUNDED)
    program = stormpy.parse_prism_program(str(folder / "m.prism"))
    model = stormpy.build_model(program, options=stormpy.BuilderOptions(build_full=True))
    options = stormpy.io.UmbExportOptions()
    options.compression = getattr(stormpy.io.CompressionMode, compression)
    stormpy.io.export_to_umb(model, str(folder / "m.umb"), options=options)
    return folder / "m.umb"


@pytest.mark.parametrize("compression", ["DEFAULT", "NO_COMPRESSION", "GZIP", "XZ"])
def test_files_of_storm_are_read_with_all_labels_and_variables(compression: str, tmp_path: Path) -> None:
    path = written_by_storm(tmp_path, compression=compression)
    loaded = load_with_notes(path)
    direct = load(tmp_path / "m.prism")
    assert loaded.chain == direct, "labels, names, valuations (bounds and offsets), rows, with 1/4 a double"
    assert loaded.chain.alphabet == ("", "high", "low")
    assert loaded.notes == ("dropped the labels 'deadlock' of 2 states",)


def test_storm_reads_what_we_write_exactly(diners: Path) -> None:
    stormpy = pytest.importorskip("stormpy", reason="needs the extra storm")
    options = stormpy.io.UmbImportOptions()
    options.value_type = stormpy.io.UmbImportValueType.RATIONAL
    again = from_stormpy(stormpy.build_model_from_umb(str(diners), options=options))
    assert (again.labels, again.rows, again.relation) == (DINERS.labels, DINERS.rows, DINERS.relation)


# Hand-built files.


def double_file(diners: Path, target: Path) -> Path:
    """The diners with doubles for probabilities: thirds and the like do not sum to one."""
    import struct

    numbers = struct.pack(f"<{DINERS.transitions}d", *(float(p) / 3 * 3 + 1e-16 for row in DINERS.rows for _, p in row))

    def edit(members: dict[str, bytes]) -> None:
        index = json.loads(members["index.json"])
        index["transition-system"]["branch-probability-type"] = {"type": "double", "size": 64}
        members["index.json"] = json.dumps(index).encode()
        members["branch-to-probability.bin"] = numbers

    return rewritten(diners, target, edit)


def test_rounded_doubles_are_refused_unless_normalised(diners: Path, tmp_path: Path) -> None:
    path = double_file(diners, tmp_path / "double.umb")
    with pytest.raises(ModelError, match="row sums to") as caught:
        load(path)
    assert caught.value.defects[0].where == f"{path}: state 'payer=0'"
    loaded = load_with_notes(path, Settings(normalise=True))
    assert sum((p for _, p in loaded.chain.rows[0]), Fraction(0)) == 1
    assert loaded.notes[0].startswith("normalised ")


def test_a_label_without_alias_is_called_by_its_key(diners: Path, tmp_path: Path) -> None:
    def edit(index: dict[str, Any]) -> None:
        for description in index["annotations"]["aps"].values():
            del description["alias"]

    assert load(with_index(diners, tmp_path / "m.umb", edit)).labels == DINERS.labels


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"#players": 1, "time": "stochastic"}, "a CTMDP"),
        ({"time": "urgent-stochastic", "#players": 0}, "of time 'urgent-stochastic' with 0 players"),
        ({"time": "stochastic"}, "a CTMC"),
        ({"time": "urgent-stochastic", "#players": 1}, "of time 'urgent-stochastic' with 1 players"),
    ],
)
def test_other_kinds_are_refused_by_name(changes: dict[str, Any], part: str, diners: Path, tmp_path: Path) -> None:
    path = with_index(diners, tmp_path / "m.umb", lambda index: index["transition-system"].update(changes))
    with refuses(InputError, "discrete-time Markov chains") as caught:
        load(path)
    assert part in str(caught.value)


def observing(numbers: list[int], count: int, where: str = "states") -> Callable[[dict[str, bytes]], None]:
    def edit(members: dict[str, bytes]) -> None:
        index = json.loads(members["index.json"])
        index["transition-system"].update({"#observations": count, "observations-apply-to": where})
        members["index.json"] = json.dumps(index).encode()
        members[f"observations/{where}/values.bin"] = b"".join(number.to_bytes(8, "little") for number in numbers)

    return edit


def test_observations_are_what_is_seen(tmp_path: Path) -> None:
    chain = examples.probe()
    letters = {label: number for number, label in enumerate(chain.alphabet)}
    numbers = [letters[label] for label in chain.labels]
    save(chain, tmp_path / "m.umb")
    path = rewritten(tmp_path / "m.umb", tmp_path / "o.umb", observing(numbers, len(letters)))
    found = load_with_notes(path)
    assert found.chain.labels == tuple(f"observation={number}" for number in numbers)
    assert found.chain.moves == chain.moves
    assert found.notes == (
        "an observer sees the model's observations; its labels (end, mode-1, mode-2, no, start, yes) are not visible",
    )
    assert load(path, observe_labels=chain.alphabet).labels == chain.labels
    with refuses(FormatError, "observation beyond the"):
        load(rewritten(tmp_path / "m.umb", tmp_path / "p.umb", observing(numbers, 2)))
    with refuses(FormatError, "bytes; by the"):
        load(rewritten(tmp_path / "m.umb", tmp_path / "q.umb", observing(numbers[1:], len(letters))))
    with refuses(InputError, "the model's observations"):
        load(rewritten(tmp_path / "m.umb", tmp_path / "r.umb", observing(numbers, len(letters), "branches")))


def test_missing_probabilities_are_refused(diners: Path, tmp_path: Path) -> None:
    silent = with_index(diners, tmp_path / "p.umb", lambda i: i["transition-system"].pop("branch-probability-type"))
    with pytest.raises(InputError, match="no probabilities"):
        load(silent)


def test_several_choices_in_a_state_are_refused(diners: Path, tmp_path: Path) -> None:
    starts = [0, 2, *range(2, len(DINERS) + 1)]  # two choices in the first state, none in the second

    def edit(members: dict[str, bytes]) -> None:
        members["state-to-choices.bin"] = b"".join(n.to_bytes(8, "little") for n in starts)

    with refuses(InputError, "several choices or"):
        load(rewritten(diners, tmp_path / "m.umb", edit))


@pytest.mark.parametrize(("kind", "size"), [("int-interval", 128), ("double-interval", 64), ("rational-interval", 192)])
def test_intervals_of_other_types_and_sizes_are_refused(diners: Path, tmp_path: Path, kind: str, size: int) -> None:
    def edit(members: dict[str, bytes]) -> None:
        index = json.loads(members["index.json"])
        index["transition-system"]["branch-probability-type"] = {"type": kind, "size": size}
        members["index.json"] = json.dumps(index).encode()
        members["branch-to-probability.bin"] = bytes(size // 8 * DINERS.transitions)

    with pytest.raises(InputError):
        load(rewritten(diners, tmp_path / "m.umb", edit))


@pytest.mark.sample(10)
@pytest.mark.parametrize("count", ["#states", "#choices", "#branches", "#initial-states"])
@pytest.mark.parametrize("number", [0, 1, 20, 2**60, -1, "x"])
def test_counts_that_do_not_fit_are_refused(count: str, number: Any, diners: Path, tmp_path: Path) -> None:
    path = with_index(diners, tmp_path / "m.umb", lambda i: i["transition-system"].update({count: number}))
    try:
        chain = load(path)
    except InputError:
        return
    # The number of initial states is not needed to read them; nothing else may be wrong unnoticed.
    assert count == "#initial-states"
    assert (chain.labels, chain.rows) == (DINERS.labels, DINERS.rows)


def test_any_missing_member_is_refused(diners: Path, tmp_path: Path) -> None:
    with tarfile.open(diners) as archive:
        names = archive.getnames()
    assert len(names) > 8
    for name in names:
        with refuses(FormatError, "a UMB model"):
            load(rewritten(diners, tmp_path / "m.umb", lambda members, name=name: members.pop(name)))  # type: ignore[misc]


def test_targets_that_do_not_exist_are_refused(diners: Path, tmp_path: Path) -> None:
    def edit(members: dict[str, bytes]) -> None:
        members["branch-to-target.bin"] = (99).to_bytes(8, "little") + members["branch-to-target.bin"][8:]

    with refuses(ModelError, "unknown target number"):
        load(rewritten(diners, tmp_path / "m.umb", edit))


@pytest.mark.parametrize("content", [b"", b"\n", b"garbage", b"\0" * 600, gzip.compress(b"x" * 2000, mtime=0), b"{"])
def test_garbage_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.umb").write_bytes(content)
    with refuses(FormatError, "a UMB model") as caught:
        load(tmp_path / "m.umb")
    assert "\n" not in str(caught.value)


def test_cut_short_anywhere_it_is_refused(diners: Path, tmp_path: Path) -> None:
    whole = diners.read_bytes()
    for length in range(0, len(whole) - 8, 37):
        (tmp_path / "m.umb").write_bytes(whole[:length])
        with pytest.raises(InputError):
            load(tmp_path / "m.umb")


def test_nothing_is_logged(diners: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load(diners)
    with pytest.raises(FormatError):
        load(with_index(diners, tmp_path / "m.umb", lambda index: index.pop("format-version")))
    assert capfd.readouterr() == ("", "")


def test_without_umbi_the_pip_line_is_named(diners: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umbi.umb", None)
    for attempt in (lambda: load(diners), lambda: save(DINERS, diners)):
        with refuses(BackendMissing, "pip install 'deltachain"):
            attempt()


# Files made to harm.


def archive(target: Path, members: Iterable[tuple[str, int, bytes]], pack: Callable[[Path], BinaryIO]) -> Path:
    """An archive of (name, length, content), the content repeated up to the length."""
    with pack(target) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        for name, length, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = length
            tar.addfile(entry, Repeated(content, length))  # type: ignore[arg-type]
    return target


class Repeated:
    """A file that repeats its content."""

    def __init__(self, content: bytes, length: int) -> None:
        self.content, self.left = content, length

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        return (self.content * (size // len(self.content) + 1))[:size]


def lowest_gzip(path: Path) -> Any:
    return gzip.open(path, "wb", compresslevel=1)


def members_of(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    rewritten(path, path.with_name("copy.umb"), found.update)
    return found


# Not ru_maxrss: a process inherits that from whoever started it.
PEAK = """
import re, sys
from pathlib import Path
import deltachain
from deltachain.errors import InputError
try:
    deltachain.load(sys.argv[1])
except InputError as error:
    print(error)
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
print(peak / 1024)
"""


def refusal_and_memory(path: Path) -> tuple[str, float]:
    """What is said, and the most memory in MB, of a process that loads the file."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    *said, memory = done.stdout.splitlines()
    return "\n".join(said), float(memory)


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@needs_proc
def test_many_zero_branches_in_a_small_file_are_refused_before_they_are_unpacked(diners: Path, tmp_path: Path) -> None:
    members = members_of(diners)
    index = json.loads(members["index.json"])
    count = 20_000_000
    index["transition-system"]["#branches"] = count
    index["transition-system"]["branch-probability-type"] = {"type": "double", "size": 64}
    members["index.json"] = json.dumps(index).encode()
    large = {"branch-to-target.bin", "branch-to-probability.bin"}
    listed = [(name, len(content), content) for name, content in members.items() if name not in large]
    path = archive(
        tmp_path / "m.umb", [*listed, *((name, 8 * count, bytes(4096)) for name in sorted(large))], lowest_gzip
    )
    said, memory = refusal_and_memory(path)
    assert says(said, "the file itself")
    assert memory < 400


def test_a_row_has_at_most_as_many_branches_as_there_are_states(diners: Path, tmp_path: Path) -> None:
    count = 100_000

    def edit(members: dict[str, bytes]) -> None:
        index = json.loads(members["index.json"])
        index["transition-system"]["#branches"] = count
        members["index.json"] = json.dumps(index).encode()
        members["branch-to-target.bin"] = bytes(8 * count)
        members["branch-to-probability.bin"] = bytes(16 * count)
        members["choice-to-branches.bin"] = bytes(8 * len(DINERS)) + count.to_bytes(8, "little")

    with refuses(FormatError, "branches; there are"):
        load(rewritten(diners, tmp_path / "m.umb", edit))


@needs_proc
def test_members_that_are_not_needed_are_not_held(diners: Path, tmp_path: Path) -> None:
    listed = [(name, len(content), content) for name, content in members_of(diners).items()]
    noise = random.Random(1).randbytes(2**20)
    path = archive(tmp_path / "m.umb", [("more.bin", 160 * 2**20, noise), *listed], lambda path: path.open("wb"))
    said, memory = refusal_and_memory(path)
    assert said == ""
    assert memory < 200
    bomb = archive(tmp_path / "b.umb", [("more.bin", 300 * 2**20, bytes(4096)), *listed], lowest_gzip)
    said, memory = refusal_and_memory(bomb)
    assert says(said, "the file itself")
    assert memory < 200


@pytest.mark.sample(16)
@pytest.mark.parametrize("place", range(20))
@pytest.mark.parametrize("value", [0, 1, 2**40, 2**64 - 1])
def test_starts_of_rows_that_do_not_fit_are_refused(place: int, value: int, diners: Path, tmp_path: Path) -> None:
    def edit(members: dict[str, bytes]) -> None:
        starts = members["choice-to-branches.bin"]
        members["choice-to-branches.bin"] = starts[: 8 * place] + value.to_bytes(8, "little") + starts[8 * place + 8 :]

    path = rewritten(diners, tmp_path / "m.umb", edit)
    if members_of(path) == members_of(diners):
        return
    with pytest.raises(InputError):
        load(path)


def test_labels_and_variables_of_one_name_are_refused(diners: Path, tmp_path: Path) -> None:
    def one_alias(index: dict[str, Any]) -> None:
        for description in index["annotations"]["aps"].values():
            description["alias"] = "same"

    def one_name(index: dict[str, Any]) -> None:
        for variable in index["valuations"]["states"]["classes"][0]["variables"]:
            if "name" in variable:
                variable["name"] = "same"

    for edit, part in ((one_alias, "two labels are called 'same'"), (one_name, "two variables have the same name")):
        with pytest.raises(FormatError, match=part):
            load(with_index(diners, tmp_path / "m.umb", edit))


def test_links_and_sparse_members_are_not_looked_at(diners: Path, tmp_path: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.GNUTYPE_SPARSE, tarfile.FIFOTYPE):
        with tarfile.open(tmp_path / "m.umb", "w") as tar:
            entry = tarfile.TarInfo("index.json")
            entry.type, entry.linkname = kind, "/etc/passwd"
            tar.addfile(entry)
        with refuses(FormatError, "a UMB model"):
            load(tmp_path / "m.umb")


@pytest.mark.parametrize("kind", ["int", "uint", "bool"])
@pytest.mark.parametrize("optional", [False, True])
@pytest.mark.parametrize("bits", [1, 3, 8, 13, 64])
def test_variables_are_decoded_as_umbi_decodes_them(kind: str, optional: bool, bits: int) -> None:
    binary, types = pytest.importorskip("umbi.binary"), pytest.importorskip("umbi.datatypes")
    bits = 1 if kind == "bool" else bits
    struct = binary.StructType()
    sized = binary.BOOL1 if kind == "bool" else binary.SizedType(types.NumericPrimitiveType(kind), bits)
    struct.add_attribute("first", binary.BOOL1)
    struct.add_attribute("x", sized, optional)
    struct.add_padding(3)
    struct.add_attribute("last", binary.SizedType(types.NumericPrimitiveType.INT, 11))
    struct.pad_to_byte()
    data = random.Random(bits).randbytes(50 * struct.size_bytes)
    expected = binary.bytes_to_vector(data, struct)
    found = variables_of(data, struct)
    assert [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)] == expected
