"""Sweeps: rows whatever the order, files that survive anything, failures that are rows, liars that are caught."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.files import Journal
from deltachain.measures.sweep.verb import Outcome
from tests.words import refuses, says

GRID: dict[str, Any] = {"parameters": {"p": ["3/5", "2/3", "3/4"]}, "epsilons": [0, "1/2"]}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class Tampering(Executor):
    """A worker whose answers are changed on the way."""

    def __init__(self, change: Callable[[Outcome], Outcome]) -> None:
        self.change = change

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        found = fn(*args, **kwargs)
        if isinstance(found, list):
            found = [([self.change(outcome) for outcome in outcomes], seconds) for outcomes, seconds in found]
        future.set_result(found)
        return future


def test_rows_are_those_of_the_verb_in_the_order_of_the_jobs() -> None:
    found = dc.sweep(dc.examples.survey, **GRID)
    assert [(dict(row.parameters)["p"], row.epsilon) for row in found] == [
        (p, Fraction(e)) for p in ("3/5", "2/3", "3/4") for e in ("0", "1/2")
    ]
    for row in found:
        chain = dc.examples.survey(**dict(row.parameters))
        wanted = dc.delta(chain, *row.pair, epsilon=row.epsilon)  # type: ignore[misc]
        assert row.result is not None
        assert (row.result["lower"]["exact"], row.result["upper"]["exact"]) == (str(wanted.lower), str(wanted.upper))
        assert (row.checked, row.error) == (True, None)
    with ThreadPoolExecutor(3) as threads:
        assert dc.sweep(dc.examples.survey, **GRID, executor=threads) == found


@pytest.mark.parametrize(
    ("verb", "options", "keys"),
    [
        ("delta", {"gap": "1/100"}, {"lower", "upper", "exact", "nodes", "method", "stopped"}),
        ("distance", {"kind": "ld"}, {"value", "reverse", "largest", "side", "kind"}),
        ("epsilon", {"delta": "1/10"}, {"epsilon", "exp_epsilon", "exact", "pure"}),
        ("estimate", {"samples": 50}, {"lower", "upper", "certified", "proved", "confidence", "seed"}),
    ],
)
def test_every_verb_that_answers_with_numbers(verb: str, options: dict[str, Any], keys: set[str]) -> None:
    at = {} if verb == "epsilon" else {"epsilons": [0, "1/2"]}
    found = dc.sweep(dc.examples.survey, parameters={"p": ["3/5", "3/4"]}, verb=verb, check=True, **at, **options)
    assert len(found) == (2 if verb == "epsilon" else 4)
    for row in found:
        assert row.error is None
        assert row.result is not None
        assert keys <= row.result.keys()
        assert row.checked is (None if verb == "estimate" else True)
    columns = found.to_dict()
    assert len({len(values) for values in columns.values()}) == 1
    assert columns["p"][0] == "3/5"


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_distance_of_functions_of_e_is_compared_with_its_certificate(kind: str) -> None:
    rows = {"s": {"h": "exp(-1)", "t": "1-exp(-1)"}, "u": {"h": "1/2", "t": "1/2"}, "h": {"h": 1}, "t": {"t": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "a", "u": "a", "h": "h", "t": "t"}).with_relation([("s", "u")])
    for epsilon, value in (("0", "(-2+exp(1))/(2*exp(1))"), ("1/5", "(-2+exp(4/5))/(2*exp(4/5))")):
        (row,) = dc.sweep(chain, verb="distance", kind=kind, epsilons=[epsilon])
        assert (row.error, row.checked) == (None, True)
        assert row.result is not None
        shown = row.result["value" if kind == "bd" else "largest"]["exact"]
        # What a worker sends is compared with its certificate here.
        (sent,) = dc.sweep(chain, verb="distance", kind=kind, epsilons=[epsilon], check=True)
        assert (sent.error, sent.checked, sent.result) == (None, True, row.result)
        assert shown == value


def test_a_failing_job_is_a_row() -> None:
    found = dc.sweep(dc.examples.survey, parameters={"p": ["7", "3/4", "x"]}, epsilons=[0])
    assert [row.error is None for row in found] == [False, True, False]
    assert "outside" in str(found.rows[0].error)
    assert len(found.failed) == 2


def broken(p: str) -> dc.Chain:
    raise ZeroDivisionError(p)


def nothing(p: str) -> dc.Chain:
    return p  # type: ignore[return-value]


def test_whatever_a_builder_does_is_the_rows() -> None:
    assert dc.sweep(broken, parameters={"p": [1]}, epsilons=[0]).rows[0].error == "ZeroDivisionError: 1"
    assert "not a Chain" in str(dc.sweep(nothing, parameters={"p": [1]}, epsilons=[0]).rows[0].error)


def rows_of(path: Path) -> list[dict[str, Any]]:
    head, *rows = lines(path)
    assert head["journal"] == "deltachain.sweep"
    return rows


def test_a_file_has_every_row_and_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    whole = dc.sweep(dc.examples.survey, **GRID, out=path)
    assert sorted(map(json.dumps, rows_of(path))) == sorted(json.dumps(row.to_dict()) for row in whole)
    with pytest.raises(InputError, match="it exists"):
        dc.sweep(dc.examples.survey, **GRID, out=path)
    kept = path.read_bytes().splitlines(keepends=True)
    for torn in (b"", b"{", kept[4][:-20], b"\x00\x00\n", b"[]\n", b"[" * 100_000 + b"\n"):
        path.write_bytes(b"".join(kept[:4]) + torn)
        assert dc.sweep(dc.examples.survey, **GRID, out=path, resume=True) == whole
        assert sorted(path.read_bytes().splitlines()) == sorted(line.strip() for line in kept)
    before = path.read_bytes()
    assert dc.sweep(dc.examples.survey, **GRID, out=path, resume=True) == whole
    assert path.read_bytes() == before, "what is there is not run again"


def test_pairs_of_a_job_that_was_cut_off_are_completed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    options: dict[str, Any] = {"parameters": {"n": [3]}, "epsilons": [0]}
    whole = dc.sweep(dc.examples.dining_cryptographers, **options, out=path)
    assert [row.pairs for row in whole] == [3, 3, 3]
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    again = dc.sweep(dc.examples.dining_cryptographers, **options, out=path, resume=True)
    assert {row.pair for row in again} == {row.pair for row in whole}
    assert len(rows_of(path)) == 3


def test_a_row_outside_of_the_grid_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    dc.sweep(dc.examples.survey, **GRID, out=path)
    for other in (GRID | {"epsilons": [1]}, GRID | {"parameters": {"p": ["3/5"]}}):
        with refuses(InputError, "of this sweep"):
            dc.sweep(dc.examples.survey, **other, out=path, resume=True)
    head = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(head + b"not json\n{}\n")
    with refuses(InputError, "a JSON object"):
        dc.sweep(dc.examples.survey, **GRID, out=path, resume=True)


def other_survey(p: str) -> dc.Chain:
    return dc.examples.survey(p=p, rounds=2)


QUESTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "model": (dc.examples.survey(p="2/3"), {}),
    "verb": (dc.examples.survey(), {"verb": "distance"}),
    "options": (dc.examples.survey(), {"gap": "1/10"}),
    "pairs": (dc.examples.survey(), {"pairs": [("s1", "s0")]}),
    "timeout": (dc.examples.survey(), {"job_timeout": 60.0}),
    "checked": (dc.examples.survey(), {"check": True}),
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_a_file_of_another_question_is_refused_and_both_are_shown(what: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    dc.sweep(dc.examples.survey(), epsilons=[0], out=path)
    before = path.read_bytes()
    build, options = QUESTIONS[what]
    with refuses(InputError, "answers another question") as refusal:
        dc.sweep(build, epsilons=[0], out=path, resume=True, **options)
    assert any(says(str(defect), "the file answers") for defect in refusal.value.defects)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("first", "second"), [(True, None), (None, None), (None, "cluster")])
def test_a_file_is_resumed_wherever_its_rows_are_checked(
    first: bool | None, second: str | None, tmp_path: Path
) -> None:
    """As after `--cluster`, whose rows are checked by their certificates, with `--jobs`; and the other way around."""
    path, build = tmp_path / "rows.jsonl", dc.examples.survey
    dc.sweep(build, parameters={"p": ["2/3"]}, epsilons=[0], out=path, check=first)
    with ThreadPoolExecutor(1) as threads:
        if second == "cluster":
            threads._client = None  # type: ignore[attr-defined] # what tells an executor of Dask
        found = dc.sweep(build, parameters={"p": ["2/3", "3/4"]}, epsilons=[0], out=path, executor=threads, resume=True)
    assert [row.checked for row in found] == [True, True]
    assert len(path.read_bytes().splitlines()) == 3


def test_a_file_whose_rows_are_not_checked_is_not_resumed_by_a_sweep_that_checks(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    dc.sweep(dc.examples.survey(), epsilons=[0], out=path, check=False)
    wanted = 'checked: the file answers "not", asked is "where it is computed"'
    with pytest.raises(InputError, match=re.escape(wanted)):
        dc.sweep(dc.examples.survey(), epsilons=[0], out=path, resume=True)


@pytest.mark.parametrize(
    ("verb", "first", "second"),
    [("epsilon", {"delta": 0}, {"delta": "3/10"}), ("distance", {"kind": "bd"}, {"kind": "sd"})],
)
def test_the_options_of_a_verb_are_part_of_the_question(
    verb: str, first: dict[str, Any], second: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    at = {} if verb == "epsilon" else {"epsilons": [0]}
    dc.sweep(dc.examples.survey(), verb=verb, out=path, **at, **first)
    with refuses(InputError, "options: the file"):
        dc.sweep(dc.examples.survey(), verb=verb, out=path, resume=True, **at, **second)


def test_another_function_or_a_changed_one_is_another_question(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    dc.sweep(other_survey, **GRID, out=path)
    for build in (dc.examples.survey, lambda p: dc.examples.survey(p=p, rounds=2)):
        with refuses(InputError, "the file answers"):
            dc.sweep(build, **GRID, out=path, resume=True)
    assert len(dc.sweep(other_survey, **GRID, out=path, resume=True)) == 6


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"my thesis\n", "not a journal"),
        (b"my thesis", "not a journal"),
        (b"{}\n", "not a journal"),
        (b"[" * 100_000, "not a journal"),
        (b"\x00" * 10, "not a journal"),
        (
            b'{"parameters": {}, "pair": null, "pairs": 1, "epsilon": null, "verb": "delta", "checked": null}\n',
            "journal of deltachain 0.2",
        ),
    ],
)
def test_a_file_that_is_no_journal_of_ours_is_never_changed(content: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    for resume in (True, False):
        with pytest.raises(InputError, match=text if resume else "it exists"):
            dc.sweep(dc.examples.survey, **GRID, out=path, resume=resume)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("epsilon", "exact"), "1/0"),
        (("epsilon", "exact"), "1e999999999"),
        (("epsilon",), 5),
        (("result",), 5),
        (("result",), {}),
        (("result", "upper"), {"exact": "1/0", "approx": 0.0}),
        (("result", "upper"), {"exact": "1/2", "approx": 0.1}),
        (("result", "upper"), "1/2"),
        (("parameters",), []),
        (("parameters",), {"p": {}}),
        (("pair",), ["s0"]),
        (("pair",), ["s0", "nowhere"]),
        (("pair",), ["s1", "s0"]),
        (("pair",), None),
        (("pairs",), 2),
        (("pairs",), None),
        (("pairs",), 0),
        (("checked",), "yes"),
        (("verb",), []),
    ],
    ids=str,
)
def test_a_row_that_is_none_is_refused(place: tuple[str, ...], value: object, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    dc.sweep(dc.examples.survey, **GRID, out=path)
    head, row, *_ = lines(path)
    inner = row
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, row)), "utf-8")
    with refuses(InputError, "of this sweep"):
        dc.sweep(dc.examples.survey, **GRID, out=path, resume=True)


def test_a_row_that_failed_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    monkeypatch.setattr("tests.unit.measures.sweep.test_verb.FAILS", True)
    first = dc.sweep(sometimes, parameters={"p": ["3/4"]}, epsilons=[0], out=path)
    assert [row.error for row in first] == ["OSError: no network"]
    monkeypatch.setattr("tests.unit.measures.sweep.test_verb.FAILS", False)
    text = path.read_text("utf-8").replace("null}", '"' + sometimes("3/4").sha256 + '"}', 1)
    path.write_text(text, "utf-8")
    again = dc.sweep(sometimes, parameters={"p": ["3/4"]}, epsilons=[0], out=path, resume=True)
    assert [row.error for row in again] == [None]
    assert len(rows_of(path)) == 2


FAILS = False


def sometimes(p: str) -> dc.Chain:
    if FAILS:
        raise OSError("no network")
    return dc.examples.survey(p=p)


def named_like_columns(epsilon: str, upper: int, error: int, checked: int, verb: int, first: int) -> dc.Chain:
    return dc.examples.survey(p=epsilon)


def test_parameters_called_like_columns_stay_apart() -> None:
    names = {"epsilon": ["3/4"], "upper": [7], "error": [8], "checked": [9], "verb": [10], "first": [11]}
    found = dc.sweep(named_like_columns, parameters=names, epsilons=[0])
    columns = found.to_dict()
    for name, (value,) in names.items():
        assert columns[f"parameter_{name}"] == [value]
    assert (columns["epsilon"], columns["upper"], columns["error"]) == ([0.0], [0.5], [None])
    assert (columns["checked"], columns["verb"], columns["first"]) == ([True], ["delta"], ["s0"])


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path, head = tmp_path / "rows.jsonl", {"journal": "test"}
    with Journal(path, head) as journal:
        journal.append([{"a": 1}])
        with refuses(InputError, "another process writes"):
            Journal(path, head, resume=True)
    with Journal(path, head, resume=True) as journal:
        assert journal.found == [{"a": 1}]


def test_an_interrupted_sweep_says_what_is_missing_and_goes_on(tmp_path: Path) -> None:
    path, cancel = tmp_path / "rows.jsonl", Cancel()
    cancel.report = lambda _: cancel.interrupt()
    cut = dc.sweep(dc.examples.survey, **GRID, out=path, cancel=cancel)
    assert (len(cut), cut.missing, len(rows_of(path))) == (1, 5, 1)
    assert "5 jobs missing" in repr(cut)
    assert "1 job missing" in repr(replace(cut, missing=1))
    whole = dc.sweep(dc.examples.survey, **GRID, out=path, resume=True)
    assert whole == dc.sweep(dc.examples.survey, **GRID)


class Broken(Executor):
    """Processes that are killed after some jobs."""

    _max_workers = 1

    def __init__(self, jobs: int) -> None:
        self.left = jobs

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        if self.left < 0:
            raise BrokenExecutor
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_rows_stand_when_workers_are_killed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    cut = dc.sweep(dc.examples.survey, **GRID, out=path, executor=Broken(2))
    assert 0 < len(cut) == len(rows_of(path))
    assert len(cut) + cut.missing == 6
    assert says(cut.lost)
    whole = dc.sweep(dc.examples.survey, **GRID, out=path, resume=True)
    assert whole == dc.sweep(dc.examples.survey, **GRID)
    assert whole.lost == ""


def number(text: str) -> dict[str, Any]:
    return {"exact": text, "approx": float(Fraction(text))}


def changed(**values: Any) -> Callable[[Outcome], Outcome]:
    return lambda o: Outcome(o.pair, o.pairs, (o.result or {}) | values, None, o.certificate)


LIES: dict[str, Callable[[Outcome], Outcome]] = {
    "smaller": changed(lower=number("0"), upper=number("0")),
    "narrower": changed(lower=number("1/3"), upper=number("1/3")),
    "a decimal": changed(upper={"exact": "1/2", "approx": 0.1}),
    "not a number": changed(upper={"exact": "nan", "approx": 0.1}),
    "no numbers": lambda o: Outcome(o.pair, o.pairs, {}, None, o.certificate),
    "no certificate": lambda o: Outcome(o.pair, o.pairs, o.result, None, None),
    "an empty certificate": lambda o: Outcome(o.pair, o.pairs, o.result, None, {}),
    "another pair": lambda o: Outcome(("s1", "s0"), o.pairs, o.result, None, o.certificate),
    "a forged claim": lambda o: Outcome(
        o.pair,
        o.pairs,
        (o.result or {}) | {"upper": number("1/100"), "lower": number("1/100")},
        None,
        dict(o.certificate or {})
        | {"proves": [c | {"upper": "1/100", "lower": "1/100"} for c in (o.certificate or {})["proves"]]},
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_worker_that_lies_is_caught(lie: str) -> None:
    options: dict[str, Any] = {"parameters": {"p": ["3/4"]}, "epsilons": [0], "check": True}
    honest = dc.sweep(dc.examples.survey, **options, executor=Tampering(lambda outcome: outcome))
    assert [(row.checked, row.error) for row in honest] == [(True, None)]
    found = dc.sweep(dc.examples.survey, **options, executor=Tampering(LIES[lie]))
    (row,) = found.failed
    assert says(str(row.error), "does not prove")
    assert row.checked is not True
    assert row.result is None


NOISY = dc.program("def noisy(count, ratio, far=2): announce(count + geometric(ratio))")
COUNTS = [{"count": 0}, {"count": 1}]
NEAR = "abs(output - count) <= far"


def test_rows_of_a_program_say_how_likely_an_event_is(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "parameters": {"ratio": ["1/2", Fraction(1, 3)], "far": [2, 3]},
        "epsilons": [0, 1],
        "secrets": COUNTS,
    }
    found = dc.sweep(NOISY, **asked, accuracy=NEAR, out=tmp_path / "rows.jsonl")
    assert len(found) == 8
    for row in found:
        constants = {"ratio": Fraction(dict(row.parameters)["ratio"]), "far": dict(row.parameters)["far"]}
        r, far = constants["ratio"], int(constants["far"])
        assert row.result is not None
        assert Fraction(row.result["accuracy"]["exact"]) == 1 - 2 * r ** (far + 1) / (1 + r)
    assert found.to_dict()["accuracy"][0] <= 5 / 6
    assert "≥ 0.833333" in str(found.sections()[0])
    again = dc.sweep(NOISY, **asked, accuracy=NEAR, out=tmp_path / "rows.jsonl", resume=True)
    assert again.rows == found.rows
    with pytest.raises(InputError, match="accuracy"):
        dc.sweep(NOISY, **asked, accuracy="output == count", out=tmp_path / "rows.jsonl", resume=True)
    with refuses(InputError, "program have an"):
        dc.sweep(dc.examples.survey, parameters={"p": ["3/4"]}, epsilons=[0], accuracy=NEAR)
    (failed, *_) = dc.sweep(NOISY, **asked, accuracy="outptu == count")
    assert says(str(failed.error), "you mean 'output")


def test_a_lie_about_an_accuracy_is_caught() -> None:
    def lying(outcome: Outcome) -> Outcome:
        return replace(outcome, result=(outcome.result or {}) | {"accuracy": number("99/100")})

    asked: dict[str, Any] = {"parameters": {"ratio": ["1/2"]}, "epsilons": [0], "secrets": COUNTS, "check": True}
    (row,) = dc.sweep(NOISY, **asked, accuracy=NEAR, executor=Tampering(lambda outcome: outcome))
    assert (row.checked, row.error) == (True, None)
    (row,) = dc.sweep(NOISY, **asked, accuracy=NEAR, executor=Tampering(lying))
    assert says(str(row.error), "accuracy is another")


def test_a_certificate_of_another_epsilon_is_caught() -> None:
    chain = dc.examples.survey()
    other = dc.delta(chain, epsilon=1)

    def lie(outcome: Outcome) -> Outcome:
        result = {key: value for key, value in other.to_dict()["results"][0].items() if key != "pair"}  # type: ignore[index, attr-defined]
        return Outcome(outcome.pair, outcome.pairs, result, None, other.certificate.document)

    found = dc.sweep(chain, epsilons=[0], check=True, executor=Tampering(lie))
    assert "another ε" in str(found.rows[0].error)


@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_lie_about_a_distance_is_caught(kind: str) -> None:
    chain = dc.examples.split_coin()
    options: dict[str, Any] = {"verb": "distance", "epsilons": ["1/10"], "kind": kind, "check": True}
    assert dc.sweep(chain, **options).rows[0].checked is True
    lies = [changed(value=number("0")), changed(kind="bd" if kind != "bd" else "ld")]
    lies.append(changed(lower=number("1")))
    if kind != "bd":
        lies += [changed(reverse=number("0")), changed(largest=number("0")), changed(reverse_lower=number("1"))]
    for lie in lies:
        assert len(dc.sweep(chain, **options, executor=Tampering(lie)).failed) == 1


COUNTED = dc.Chain.from_counts(
    {"s": {"u": 5, "v": 5}, "t": {"u": 7, "v": 3}},
    {"s": "a", "t": "a", "u": "b", "v": "c"},
    rows={"u": {"u": 1}, "v": {"v": 1}},
    confidence="0.95",
    relation=[("s", "t")],
)


def test_a_row_that_leaves_out_its_counts_is_caught() -> None:
    def silent(outcome: Outcome) -> Outcome:
        told = {key: value for key, value in (outcome.result or {}).items() if key not in ("uncertain", "confidence")}
        return replace(outcome, result=told)

    (row,) = dc.sweep(COUNTED, epsilons=[0], check=True, executor=Tampering(lambda outcome: outcome))
    assert (row.checked, row.error) == (True, None)
    (row,) = dc.sweep(COUNTED, epsilons=[0], check=True, executor=Tampering(silent))
    assert says(str(row.error), "on: limits, counts")


def test_a_row_that_leaves_out_what_is_assumed_of_code_is_caught() -> None:
    def silent(outcome: Outcome) -> Outcome:
        return replace(
            outcome, result={key: value for key, value in (outcome.result or {}).items() if key != "assumes"}
        )

    chain = replace(dc.examples.survey(), assumes=("Nothing else matters.",))
    (row,) = dc.sweep(chain, epsilons=[0], check=True, executor=Tampering(lambda outcome: outcome))
    assert row.result is not None
    assert (row.result["assumes"], row.checked) == (["Nothing else matters."], True)
    (row,) = dc.sweep(chain, epsilons=[0], check=True, executor=Tampering(silent))
    assert says(str(row.error), "what is assumed")


def test_a_row_about_limits_says_of_single_chains_only_what_it_can_prove() -> None:
    (row,) = dc.sweep(COUNTED, epsilons=[0])
    assert row.result is not None
    assert {"centre", "inside"} <= row.result.keys()
    (row,) = dc.sweep(COUNTED, epsilons=[0], check=True, executor=Tampering(lambda outcome: outcome))
    assert row.result is not None
    assert not {"centre", "inside"} & row.result.keys()
    lie = changed(inside={"lower": number("0"), "upper": number("1")})
    (row,) = dc.sweep(COUNTED, epsilons=[0], check=True, executor=Tampering(lie))
    assert says(str(row.error), "single chains within")


def test_a_decimal_on_the_wrong_side_of_a_bound_is_caught() -> None:
    chain = dc.examples.survey(p="2/3")
    (row,) = dc.sweep(chain, epsilons=[0])
    assert row.result is not None
    inward = {"exact": row.result["upper"]["exact"], "approx": float(Fraction(row.result["upper"]["exact"]))}
    assert inward["approx"] < Fraction(inward["exact"])
    (row,) = dc.sweep(chain, epsilons=[0], check=True, executor=Tampering(changed(upper=inward)))
    assert says(str(row.error), "its certificate proves")


def test_the_confidence_of_counts_that_leave_a_single_chain_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(
        '{"format": "deltachain.chain/1", "confidence": "0.95", "relation": [["s", "t"]], "states": {'
        '"s": {"label": "a", "counts": {"u": 10}, "rest": "0"}, "t": {"label": "a", "to": {"u": "1/2", "v": "1/2"}}, '
        '"u": {"label": "b", "to": {"u": "1"}}, "v": {"label": "c", "to": {"v": "1"}}}}'
    )
    assert dc.load(file).kind == "exact"
    (table,) = dc.sweep(file, epsilons=[0]).sections()
    assert says(str(table), "confidence, given the")
    assert "every chain" not in str(table)


# A word that one state alone shows: no ε is enough for (s, t), and ln 2 for (t, r).
APART = dc.Chain.from_dicts(
    {"s": {"x": 1}, "t": {"x": "1/2", "y": "1/2"}, "r": {"x": "1/4", "y": "3/4"}, "x": {"x": 1}, "y": {"y": 1}},
    {"s": "a", "t": "a", "r": "a", "x": "x", "y": "y"},
    relation=[("s", "t"), ("t", "r")],
)


def test_rows_that_say_why_no_epsilon_is_enough_are_resumed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    whole = dc.sweep(APART, verb="epsilon", delta=0, out=path)
    assert [row.result is not None and row.result["reason"] is not None for row in whole] == [True, False]
    assert dc.sweep(APART, verb="epsilon", delta=0, out=path, resume=True) == whole


def test_a_plot_shows_no_worst_pair_where_one_has_no_number() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    axes = dc.sweep(APART, verb="epsilon", delta=0).plot()
    drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert drawn["at most"] == []
    (least,) = drawn["at least"]
    assert least > 1
    pyplot.close("all")


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"verb": "verify"}, "verb"),
        ({"epsilons": []}, "epsilons"),
        ({"epsilons": [-1]}, "negative"),
        ({"epsilons": None}, "epsilons"),
        ({"parameters": {"p": []}}, "no values"),
        ({"parameters": {"p": [object()]}}, "neither a number nor text"),
        ({"colour": 1}, "colour"),
        ({"verb": "epsilon", "epsilons": None}, "delta"),
        ({"verb": "epsilon", "delta": 0}, "searches ε"),
    ],
)
def test_what_is_asked_is_checked_before_the_work(wrong: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        dc.sweep(dc.examples.survey, **(GRID | wrong))


def test_plots_have_lines_a_heat_map_or_panels(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    two = dc.sweep(dc.examples.survey, **GRID)
    one = dc.sweep(dc.examples.survey, parameters={"p": ["3/5", "3/4"]}, epsilons=[0])
    three = dc.sweep(dc.examples.survey, parameters={"p": ["3/5", "3/4"], "rounds": [1, 2]}, epsilons=[0, 1])
    pure = dc.sweep(dc.examples.survey, parameters={"p": ["1/2", "3/5", "1"]}, verb="epsilon", delta=0)
    apart = dc.sweep(dc.examples.survey, parameters={"p": ["3/5", "3/4"]}, verb="distance", epsilons=[0])
    for k, found in enumerate((one, two, three, pure, apart)):
        found.plot(tmp_path / f"{k}.svg")
        assert "<svg" in (tmp_path / f"{k}.svg").read_text("utf-8")
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    one.plot(axes)
    assert len(axes.lines) == 2
    assert axes.lines[0].get_xdata().tolist() == [0.6, 0.75]
    with pytest.raises(InputError, match="panels"):
        three.plot(figure.subplots())
    with refuses(InputError, "has a result"):
        dc.sweep(broken, parameters={"p": [1]}, epsilons=[0]).plot(tmp_path / "x.svg")
    four = {"p": ["3/5", "3/4"], "rounds": [1, 2], "unused": [1, 2]}
    with pytest.raises(InputError, match="vary"):
        dc.sweep(with_unused, parameters=four, epsilons=[0, 1]).plot(tmp_path / "y.svg")


def test_a_heat_map_draws_the_line_of_a_delta_between_the_points() -> None:
    pytest.importorskip("matplotlib")
    probabilities, epsilons = ["0.5", "0.6", "0.7", "0.8"], ["0", "1/2", "1", "3/2"]
    found = dc.sweep(dc.examples.survey, parameters={"p": probabilities}, epsilons=epsilons)
    axes = found.plot(delta="1/10")
    assert axes is not None
    bordered = {tuple(map(tuple, line.get_xydata().tolist())) for line in axes.lines if len(line.get_xdata())}
    kept = {}
    for row in found.rows:
        place = probabilities.index(dict(row.parameters)["p"]), epsilons.index(str(row.epsilon))
        kept[place] = Fraction(row.result["upper"]["exact"]) <= Fraction(1, 10)
    assert True in kept.values()
    assert False in kept.values()
    wanted = set()
    for (i, j), here in kept.items():
        if kept.get((i + 1, j), here) != here:
            wanted.add(((i + 0.5, j - 0.5), (i + 0.5, j + 0.5)))
        if kept.get((i, j + 1), here) != here:
            wanted.add(((i - 0.5, j + 0.5), (i + 0.5, j + 0.5)))
    assert bordered == wanted
    assert says(axes.get_legend().get_texts()[0].get_text())
    assert "s0 against s1" in axes.get_title()
    assert "at most" in axes.figure.axes[1].get_ylabel(), "the colours say which side they are on"


@pytest.mark.parametrize(("limit", "text"), [(1, "at most 1 everywhere"), (0, "at most 0 on its darker side")])
def test_where_every_row_keeps_a_delta_there_is_no_line(limit: int, text: str) -> None:
    pytest.importorskip("matplotlib")
    found = dc.sweep(dc.examples.survey, parameters={"p": ["0.5", "0.6"]}, epsilons=["0", "1/4"])
    axes = found.plot(delta=limit)
    assert axes is not None
    assert axes.get_legend().get_texts()[0].get_text() == text
    line = dc.sweep("example:survey", epsilons=[0, 1]).plot(delta=limit)
    assert line is not None
    assert f"δ = {limit}" in [text.get_text() for text in line.get_legend().get_texts()]


def test_a_picture_says_nothing_of_a_job_with_a_pair_that_failed() -> None:
    """The line was drawn around what the other pairs keep, and said that of the worst one."""
    pytest.importorskip("matplotlib")
    found = dc.sweep(two_pairs, parameters={"p": ["1/2", "3/5"]}, epsilons=[0, 1])
    assert len(found) == 8
    rows = [replace(row, body="", error="failed") if i == 0 else row for i, row in enumerate(found.rows)]
    axes = replace(found, rows=tuple(rows)).plot(delta="1/3")
    assert axes is not None
    shown = axes.images[0].get_array()
    assert [bool(cell != cell) for cell in shown.data.flat] == [True, False, False, False]
    assert says(axes.get_legend().get_texts()[0].get_text())


def two_pairs(p: str) -> dc.Chain:
    rows = {"s": {"h": p, "t": 1 - Fraction(p)}, "u": {"h": 1 - Fraction(p), "t": p}, "v": {"h": "1/2", "t": "1/2"}}
    labels = {"s": "go", "u": "go", "v": "go", "h": "h", "t": "t"}
    return dc.Chain.from_dicts(rows | {"h": {"h": 1}, "t": {"t": 1}}, labels, relation=[("s", "u"), ("s", "v")])


def test_rows_about_epsilon_have_no_line_at_a_delta() -> None:
    found = dc.sweep(dc.examples.survey, parameters={"p": ["0.6", "0.7"]}, verb="epsilon", delta=0)
    with refuses(InputError, "rows are about"):
        found.plot(delta="1/10")


def with_unused(p: str, rounds: int, unused: int) -> dc.Chain:
    return dc.examples.survey(p=p, rounds=rounds)


def test_jobs_of_one_chain_build_it_once() -> None:
    built = []

    def build(p: str) -> dc.Chain:
        built.append(p)
        return dc.examples.survey(p=p)

    dc.sweep(build, **GRID)
    assert built == ["3/5", "2/3", "3/4"]
