"""``python -m tests.record.replay --all``: where this tree answers otherwise than the record, by kind of difference.

Bounds must be as narrow as they were or narrower, what was exact stays exact, and every certificate is accepted: those
of today, and those that older releases wrote, against the model files that they are about. Other methods, words and
bytes are counted, and are no failure. Keys of documents that were added, removed or changed are told by their names:
``--examples`` shows one of each. Another checkout is replayed by its own interpreter, from this folder:
``PATH/.venv/bin/python -m tests.record.replay --all``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc
from tests.record import asked
from tests.record.answers import NO_CERTIFICATE, NO_CLAIM, NO_RULES, Answer, answered, ends
from tests.record.documents import Comparison

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
ANSWERS = FOLDER / "answers.jsonl.xz"
VERBS = FOLDER / "verbs.jsonl.xz"
CERTIFICATES = FOLDER / "certificates.jsonl.xz"

FAILURES = (
    *("crashed", "contradicts", "wider", "exactness lost", "refused now", "rejected", "no certificate now"),
    *("witness lost", "older certificate rejected", "not built"),
    *("checked no more", "less decided", "answers missing", "another exit code"),
)
"""Kinds of difference that must not be; all other kinds are told."""

Interval = tuple[Fraction, Fraction]
Row = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """One difference: its kind, where, and what is said of it."""

    kind: str
    where: str
    what: str

    @property
    def fails(self) -> bool:
        return self.kind in FAILURES


def rows_of(path: Path) -> list[Row]:
    """The rows of a record."""
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def sample(rows: Iterable[Row], each: int, seed: int = 1) -> list[Row]:
    """``each`` models of every kind with one question each, always the same ones."""
    random = Random(seed)
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row)
    drawn = [row for kind in kinds.values() for row in random.sample(kind, min(each, len(kind)))]
    return [row | {"asked": [random.choice(row["asked"])]} for row in drawn]


def replay(rows: Iterable[Row]) -> Iterator[Difference]:
    """Every difference between the rows and what this tree answers."""
    with TemporaryDirectory() as folder:
        for row in rows:
            yield from _replay(row, Path(folder))


def loaded(row: Row, folder: Path) -> dc.Chain:
    """The chain of a row: its program, its example, or its model file."""
    if "text" not in row:
        of_program = {"secrets": [_with_tuples(secret) for secret in row["secrets"]]} if "secrets" in row else {}
        source = row["source"]
        return dc.load(source if source.startswith("example:") else str(ROOT / source), **of_program)
    path = folder / "model.json"
    path.write_text(row["text"], encoding="utf-8")
    return dc.load(path)


def _with_tuples(value: Any) -> Any:
    """A value of a program as it was before it was JSON, which has no tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(part) for name, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value


def _replay(row: Row, folder: Path) -> Iterator[Difference]:
    where = f"{row['kind']}: {row['name']}"
    try:
        model = loaded(row, folder)
    except Exception:  # whatever it is, it is told
        yield Difference("not built", where, _last_line())
        return
    if not model.sha256.startswith(row["sha256"]):
        yield Difference("another hash", where, "certificates of the recorded model are about another one")
    for question, recorded in row["asked"]:
        place = f"{where}: {spoken(question)}"
        try:
            now = answered(model, question)
        except dc.errors.CertificateRejected as reason:
            yield Difference("rejected", place, str(reason))
        except Exception:
            yield Difference("crashed", place, _last_line())
        else:
            yield from differences(question["verb"], place, recorded, now)


def replay_further(rows: Iterable[Row]) -> Iterator[Difference]:
    """The same of commands and calls: key by key of their documents."""
    with TemporaryDirectory() as folder:
        for row in rows:
            for question, recorded in row["asked"]:
                verb = question["command"][0] if "command" in question else f"dc.{question['call']}"
                place = f"{row['kind']}: {row['name']}: {_line(question)}"
                try:
                    now = asked.answered(row, question, Path(folder))
                except (asked.Rejected, dc.errors.CertificateRejected) as reason:
                    yield Difference("rejected", place, str(reason))
                except Exception:
                    yield Difference("crashed", place, _last_line())
                else:
                    now = json.loads(json.dumps(now))
                    for found in Comparison(verb, place, narrower)(recorded, now):
                        yield found if isinstance(found, Difference) else Difference(*found)


def _line(question: Mapping[str, Any]) -> str:
    if "command" in question:
        return " ".join(question["command"])
    given = ", ".join(f"{name}={value!r}" for name, value in question["arguments"].items())
    return f"{question['call']}({given})"


def spoken(question: Mapping[str, Any]) -> str:
    """The question in one line."""
    asked = {name: value for name, value in question.items() if name not in ("verb", "pairs", "epsilons")}
    return " ".join([question["verb"], *(f"{name}={value}" for name, value in asked.items())])


def _last_line() -> str:
    kind, error, _ = sys.exc_info()
    frames = traceback.extract_tb(sys.exc_info()[2])
    at = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{kind.__name__ if kind else ''}: {str(error)[:200]} ({at})"


def differences(verb: str, where: str, old: Answer, new: Answer) -> Iterator[Difference]:
    """How two answers to one question differ."""
    if "refused" in old or "refused" in new:
        yield from _refusals(where, old, new)
        return
    if verb == "profile":
        yield from _exactness(where, old["exact"], new["exact"])
        points = zip(old["points"], new["points"], strict=True)
        for number, (before, after) in enumerate(points):
            yield from narrower(f"{where}: point {number}", before[:2], after[:2], exact=new["exact"])
            if before[2] is True and after[2] is False:
                yield Difference("checked no more", f"{where}: point {number}", "")
            if before[2] is not None and after[2] is None and not new["exact"]:
                yield Difference("no certificate now", f"{where}: point {number}", "it follows from other points")
    elif verb == "epsilon":
        yield from _exactness(where, old["exact"], new["exact"])
        yield from _epsilons(where, old, new)
    elif verb == "distance":
        for before, after in zip(old["pairs"], new["pairs"], strict=True):
            yield from _exactness(where, before[1] == "exact", after[1] == "exact")
            yield from narrower(where, ("0", before[0]), ("0", after[0]), exact=False)
    else:
        yield from _deltas(where, old, new)
    yield from _certificates(where, old.get("certificate"), new.get("certificate"))


def _refusals(where: str, old: Answer, new: Answer) -> Iterator[Difference]:
    if "refused" not in old:
        yield Difference("refused now", where, new["refused"])
    elif "refused" not in new:
        yield Difference("answered now", where, old["refused"])
    elif old != new:
        yield Difference("refused in other words", where, f"{old['refused']} → {new['refused']}")


def _deltas(where: str, old: Answer, new: Answer) -> Iterator[Difference]:
    for number, (before, after) in enumerate(zip(old["pairs"], new["pairs"], strict=True)):
        place = f"{where}: pair {number}"
        yield from _exactness(place, before[2], after[2])
        yield from narrower(place, before[:2], after[:2], exact=after[2])
        for kind, field in (("method", 3), ("nodes", 4)):
            if before[field] != after[field]:
                yield Difference(kind, place, f"{before[field]} → {after[field]}")
    one, other = old.get("witness"), new.get("witness")
    if one is not None and other is None:
        yield Difference("witness lost", where, " | ".join(one[3]))
    elif one is not None and other is not None:
        if one[3] != other[3]:
            yield Difference("words", where, f"{' | '.join(one[3])} → {' | '.join(other[3])}")
        if float(other[2]) < float(one[2]) * (1 - 1e-8):
            yield Difference("weaker witness", where, f"{one[2]} → {other[2]}")


def _epsilons(where: str, old: Answer, new: Answer) -> Iterator[Difference]:
    if "least_delta" in old:
        if "least_delta" not in new:
            yield Difference("exactness lost", where, "that no ε is enough was known")
        else:
            yield from narrower(where, (old["least_delta"], "1"), (new["least_delta"], "1"), exact=False)
        return
    if "least_delta" in new:
        kind = "contradicts" if old["proved"] is not None else "answered now"
        yield Difference(kind, where, f"no ε is enough: δ must be at least {new['least_delta']}")
        return
    if new["proved"] is None or old["proved"] is None:
        if old["proved"] is not None:
            yield Difference("wider", where, f"e^ε = {old['proved']} was proved; now none is")
        elif new["proved"] is not None:
            yield Difference("narrower", where, f"e^ε = {new['proved']} is proved now")
        most = str(
            max(ends(old["refuted"])[1], ends(new["refuted"])[1], ends(old["proved"] or new["proved"] or "1")[1])
        )
        yield from narrower(where, (old["refuted"], most), (new["refuted"], most), exact=False)
        return
    yield from narrower(where, (old["refuted"], old["proved"]), (new["refuted"], new["proved"]), exact=new["exact"])


def _exactness(where: str, before: bool, after: bool) -> Iterator[Difference]:
    if before != after:
        yield Difference("exactness lost" if before else "exact now", where, "")


def narrower(where: str, old: Iterable[str], new: Iterable[str], *, exact: bool) -> Iterator[Difference]:
    """How the new interval lies to the old one.

    An exact number that is irrational has ends that say how finely it was enclosed, and nothing else.
    """
    (low, high), (lower, upper) = _interval(old), _interval(new)
    if lower > high or upper < low:
        yield Difference("contradicts", where, f"[{float(low)}, {float(high)}] → [{float(lower)}, {float(upper)}]")
    elif not exact and (lower < low or upper > high):
        more = max(low - lower, upper - high)
        yield Difference("wider", where, f"by {float(more):.3g}: [{float(low)}, {float(high)}]")
    elif (low, high) != (lower, upper):
        yield Difference("narrower", where, f"by {float((high - low) - (upper - lower)):.3g}")


def _interval(texts: Iterable[str]) -> Interval:
    low, high = texts
    return ends(low)[0], ends(high)[1]


def _certificates(where: str, old: str | None, new: str | None) -> Iterator[Difference]:
    if old != new and new in (None, NO_CERTIFICATE, NO_CLAIM, NO_RULES):
        yield Difference("no certificate now", where, f"{old} → {new}")
    elif old != new:
        yield Difference("other bytes", where, f"{old} → {new}")


def recheck(rows: Iterable[Row]) -> Iterator[Difference]:
    """What older releases proved, against the model files that it is about."""
    with TemporaryDirectory() as folder:
        for row in rows:
            model, certificate = Path(folder, "model.json"), Path(folder, "certificate.json")
            model.write_text(row["model"], encoding="utf-8")
            certificate.write_text(row["certificate"], encoding="utf-8")
            where = f"{row['release']}: {row['name']}"
            try:
                proved = dc.verify(model, certificate)
            except Exception:
                yield Difference("older certificate rejected", where, _last_line())
            else:
                if len(proved) != row["claims"]:
                    yield Difference("older certificate rejected", where, f"{row['claims']} claims → {len(proved)}")
                for before, now in zip(row.get("sentences", ()), proved, strict=False):
                    if before != asked.short(str(now)):
                        yield Difference("older certificate in other words", where, f"{before} → {now}")


def main() -> int:
    """Replay, and tell the differences by kind."""
    parser = argparse.ArgumentParser(prog="python -m tests.record.replay", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every row (default: a sample of each kind)")
    parser.add_argument("--only", default="", help="rows whose kind and name contain this text")
    parser.add_argument("--show", help="show every difference of the kinds that contain this text")
    parser.add_argument("--examples", action="store_true", help="one example of each kind that is no failure")
    parser.add_argument("--most", type=int, default=8, help="failures of a kind to show (default: 8)")
    arguments = parser.parse_args()
    answers, certificates, verbs = rows_of(ANSWERS), rows_of(CERTIFICATES), rows_of(VERBS)
    answers, verbs = (
        [row for row in rows if arguments.only in f"{row['kind']}: {row['name']}"] for rows in (answers, verbs)
    )
    if not arguments.all and not arguments.only:
        answers, verbs = sample(answers, 3), sample(verbs, 3)
    started = time.process_time()
    found: list[Difference] = []
    told: Counter[str] = Counter()
    for difference in chain(recheck(certificates), replay(answers), replay_further(verbs)):
        found.append(difference)
        told[difference.kind] += 1
        shown = arguments.show is not None and arguments.show in difference.kind
        shown = shown or (arguments.examples and told[difference.kind] == 1)
        if shown or (difference.fails and told[difference.kind] <= arguments.most):
            print(f"{difference.kind}: {difference.where}  {difference.what}", flush=True)
    for kind, count in sorted(told.items(), key=lambda item: (item[0] not in FAILURES, item)):
        print(f"{'FAILS' if kind in FAILURES else 'told'}: {kind} ({count})")
    questions = sum(len(row["asked"]) for row in [*answers, *verbs])
    counts = Counter(difference.kind for difference in found if difference.fails)
    print(
        f"{len(answers) + len(verbs)} models, {questions} questions, {len(certificates)} older certificates, "
        f"{time.process_time() - started:.0f} CPU seconds; failures: {dict(counts) or 'none'}"
    )
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
