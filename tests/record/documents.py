"""How two answers of one command or call differ, key by key: what is worse fails, all else is told by its key.

Numbers are ``{"exact": "1/3"}``. Two of them that bound something from both sides are compared as an interval: it must
meet the old one and be no wider. Other keys that were added, removed or changed are differences whose kind names the
key, so that counting them by kind is a short list of what a reader of the documents sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from tests.record.answers import ends

BOUNDS = (
    *(("lower", "upper"), ("exp_epsilon_refuted", "exp_epsilon"), ("epsilon_refuted", "epsilon")),
    *(("refuted", "exp_epsilon_proved"), ("epsilon_refuted", "proved")),
)
"""Keys of one object that bound a number from below and from above."""
INTERVALS = {"leakage", "capacity", "spread"}
"""Keys whose list is a lower and an upper bound."""
INNER = {"inside", "within", "extremes", "witness", "counterexample"}
"""What is known of single chains or events is no bound: a difference is told."""
EXACT_VERBS = {"trace", "run", "info", "verify"}
"""Every number of theirs is known."""
KNOWN = {"value", "before", "delta_least", "least_delta", "moment"}
"""Keys of a number itself, if nothing beside it says that it is a bound."""
FLAGS = {"impossible", "none", "infinite", "certified", "sharp", "zero", "attained"}
COUNTED = {"results", "renyi", "kl", "zcdp", "divergences", "rows", "tried", "pieces", "violated"}
"""Lists that must not become shorter."""
FINE = Fraction(1, 10**9)
"""How far apart the ends of a known number are at most."""

Told = tuple[str, str, str]
"""Kind, where, what."""
Narrower = Callable[..., Iterator[Any]]


def is_number(part: Any) -> bool:
    """Whether it is a number of a document."""
    return isinstance(part, Mapping) and isinstance(part.get("exact"), str)


class Comparison:
    """The differences between two answers to one question."""

    def __init__(self, verb: str, where: str, narrower: Narrower) -> None:
        self.verb, self.where, self.narrower = verb, where, narrower
        self.exact = False

    def __call__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
        """Of whole answers, as `asked.answered` gives them."""
        if "missing" in old or "missing" in new:
            yield ("an extra is missing", self.where, str(new.get("missing", old.get("missing"))))
            return
        one, other = _refusal(old), _refusal(new)
        if one is not None or other is not None:
            if one is None:
                yield ("refused now", self.where, str(other))
            elif other is None:
                yield ("answered now", self.where, one)
            elif one != other:
                yield ("refused in other words", self.where, f"{one} → {other}")
            return
        if old.get("exit") != new.get("exit"):
            kind = "another exit code" if old["exit"] != 3 or new["exit"] not in (0, 1) else "decided now"
            yield (kind, self.where, f"{old['exit']} → {new['exit']}")
        yield from self._proofs(old, new)
        told = new.get("document", new.get("values", {}))
        self.exact = isinstance(told, Mapping) and told.get("exact") is True
        said = [key for key in {**old, **new} if key not in ("exit", "proofs", "no_proof", "proofs_exit")]
        for key in said:
            yield from self._parts(key, old, new)

    def _proofs(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
        before, after = old.get("proofs", []), new.get("proofs", [])
        if before and not after:
            yield ("no certificate now", self.where, str(new.get("no_proof", "")))
        elif after and not before:
            yield ("a certificate now", self.where, str(old.get("no_proof", "")))
        elif len(before) != len(after):
            yield (f"proofs: {self.verb}: another number", self.where, f"{len(before)} → {len(after)}")
        else:
            for one, other in zip(before, after, strict=True):
                yield from self._proof("proofs", one, other)

    def _proof(self, path: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Any]:
        if one["claims"] != other["claims"] or one["count"] != other["count"]:
            pairs = zip([*one["claims"], "nothing"], [*other["claims"], "nothing"], strict=False)
            first = next((f"{a} → {b}" for a, b in pairs if a != b), "")
            yield (f"{path}: {self.verb}: other claims", self.where, first)
        elif one["sha256"] != other["sha256"]:
            yield ("other bytes", self.where, path)
        if one.get("of_domain") is None and other.get("of_domain") is not None:
            yield ("rejected", self.where, other["of_domain"])

    # The parts of a document.

    def _parts(self, key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
        """What stands at one key of two objects."""
        path = key
        if key not in new:
            yield (f"removed: {self.verb}: {path}", self.where, _brief(old[key]))
        elif key not in old:
            yield (f"added: {self.verb}: {path}", self.where, _brief(new[key]))
        else:
            yield from self._walk(path, key, old[key], new[key], old)

    def _walk(self, path: str, key: str, old: Any, new: Any, around: Mapping[str, Any]) -> Iterator[Any]:
        if old == new:
            return
        if isinstance(old, Mapping) and "sha256" in old and "claims" in old:
            if isinstance(new, Mapping) and "claims" in new:
                yield from self._proof(path, old, new)
            else:
                yield ("no certificate now", self.where, f"{path}: {_brief(new)}")
        elif is_number(old) or is_number(new):
            yield from self._number(path, key, old, new, around)
        elif isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from self._objects(path, old, new)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._lists(path, key, old, new)
        else:
            yield self._word(path, key, old, new)

    def _objects(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
        done = set()
        inner = bool(INNER & set(path.replace("[]", "").split(".")))
        for low, high in () if inner else BOUNDS:
            four = [side.get(name) for side in (old, new) for name in (low, high)]
            if all(is_number(each) for each in four) and low not in done and high not in done:
                done |= {low, high}
                texts = [each["exact"] for each in four]
                yield from self._interval(path, texts, new.get("exact", self.exact) is True)
        for name in [*old, *(name for name in new if name not in old)]:
            if name in done and old[name] == new[name]:
                continue
            if name in done:
                yield (f"changed: {self.verb}: {path}.{name}", self.where, f"{_brief(old[name])} → {_brief(new[name])}")
            elif name not in new:
                yield (f"removed: {self.verb}: {path}.{name}", self.where, _brief(old[name]))
            elif name not in old:
                yield (f"added: {self.verb}: {path}.{name}", self.where, _brief(new[name]))
            else:
                yield from self._walk(f"{path}.{name}", name, old[name], new[name], old)

    def _interval(self, path: str, texts: list[str], exact: bool) -> Iterator[Any]:
        """Of two intervals, the old one first.

        An irrational number that is known has ends that say how finely it was enclosed: these may be a little apart.
        """
        low, high, lower, upper = texts
        known = exact and low != high and ends(upper)[1] - ends(lower)[0] <= FINE
        yield from self.narrower(f"{self.where}: {path}", (low, high), (lower, upper), exact=known)

    def _lists(self, path: str, key: str, old: list[Any], new: list[Any]) -> Iterator[Any]:
        if key in INTERVALS and len(old) == len(new) == 2 and all(is_number(each) for each in [*old, *new]):
            texts = [each["exact"] for each in [*old, *new]]
            yield from self._interval(path, texts, self.exact)
            yield (f"changed: {self.verb}: {path}", self.where, f"{_brief(old)} → {_brief(new)}")
            return
        if all(_at(each) is not None for each in [*old, *new]):
            # Points of a curve: where they lie may be chosen otherwise.
            before, after = ({_at(each): each for each in side} for side in (old, new))
            if before.keys() != after.keys():
                lost = [str(place) for place in before if place not in after]
                yield (f"changed: {self.verb}: {path}: other points", self.where, f"{len(lost)} of {len(before)} gone")
            for place in before:
                if place in after:
                    yield from self._walk(f"{path}[]", key, before[place], after[place], {})
            return
        if len(old) != len(new):
            worse = key in COUNTED and len(new) < len(old)
            kind = "answers missing" if worse else f"changed: {self.verb}: {path}: another length"
            yield (kind, self.where, f"{path}: {len(old)} → {len(new)}")
        for one, other in zip(old, new, strict=False):
            yield from self._walk(f"{path}[]", key, one, other, {})

    def _number(self, path: str, key: str, old: Any, new: Any, around: Mapping[str, Any]) -> Iterator[Any]:
        changed = (f"changed: {self.verb}: {path}", self.where, f"{_brief(old)} → {_brief(new)}")
        inner = bool(INNER & set(path.replace("[]", "").split(".")))
        if not (is_number(old) and is_number(new)):
            yield changed
            if is_number(old) and not inner and (key in KNOWN or any(key in both for both in BOUNDS)):
                yield ("exactness lost" if key in KNOWN else "less decided", self.where, f"{path}: {_brief(new)}")
            return
        if old["exact"] == new["exact"]:
            yield (f"changed: {self.verb}: {path}.approx", self.where, f"{old.get('approx')} → {new.get('approx')}")
            return
        yield changed
        if inner:
            return
        one_sided = around.get("side") == "upper"
        if key in ("value", "largest") and one_sided:
            yield from self.narrower(f"{self.where}: {path}", ("0", old["exact"]), ("0", new["exact"]), exact=False)
        elif key in KNOWN or self.verb in EXACT_VERBS:
            (low, high), (lower, upper) = ends(old["exact"]), ends(new["exact"])
            if upper < low or lower > high:
                yield ("contradicts", self.where, f"{path}: {_brief(old)} → {_brief(new)}")

    def _word(self, path: str, key: str, old: Any, new: Any) -> Told:
        change = f"{_brief(old)} → {_brief(new)}"
        if key == "exact" and isinstance(old, bool):
            return ("exactness lost" if old else "exact now", self.where, path)
        if key in ("checked", "accepted"):
            return ("checked no more" if old is True else "checked otherwise", self.where, f"{path}: {change}")
        if key in ("verdict", "holds"):
            if old in ("undecided", None):
                return ("decided now", self.where, f"{path}: {change}")
            return ("less decided" if new in ("undecided", None) else "contradicts", self.where, f"{path}: {change}")
        if key in FLAGS and isinstance(old, bool):
            return ("less decided" if old else "decided now", self.where, f"{path}: {change}")
        if key == "witness" and new is None:
            return ("witness lost", self.where, path)
        return (f"changed: {self.verb}: {path}", self.where, change)


def _at(part: Any) -> str | None:
    """The ε of a point of a curve; None of anything else."""
    if isinstance(part, Mapping) and is_number(part.get("epsilon")) and {"lower", "upper"} <= part.keys():
        return None if "pair" in part else str(part["epsilon"]["exact"])
    return None


def _refusal(answer: Mapping[str, Any]) -> str | None:
    """The words of an answer that is none."""
    if "refused" in answer:
        return str(answer["refused"])
    document = answer.get("document")
    error = document.get("error") if isinstance(document, Mapping) else None
    return "; ".join(error["messages"]) if isinstance(error, Mapping) else None


def _brief(part: Any) -> str:
    text = str(part["exact"]) if is_number(part) else str(part)
    return text if len(text) <= 80 else f"{text[:77]}…"
