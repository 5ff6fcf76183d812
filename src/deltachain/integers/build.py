"""From the paths of a symbolic run to the words of a mechanism.

Paths of one word that differ in one decision, and are alike otherwise, are joined again: ``{z0 < z1 < z2}`` and
``{z1 <= z0 < z2}`` are ``{z0 < z2, z1 < z2}``. What is left must be made of stars: of noise that bounds connect, one is
the centre, with which each other one was compared or to which it was added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from ..cancel import Cancel
from ..errors import Defect
from ..numbers.exponential import Exponential
from ..numbers.parameter import OpenParameter
from ..numbers.real import exact_of
from ..programs.language.source import Problem, ProgramError
from ..programs.protocol import Program
from .affine import Affine, Form
from .constraints import NoiseBound, join, select_needed
from .mechanism import Atom, Mechanism, NoiseRatio, Star, WordSum, WordTerm
from .run import DOMAIN, Executor, SymbolicPath

VARIABLE = re.compile(r"(?:[0-9]+·)?#[0-9]+(?: \+ [0-9]+)?")
"""What stands for an announced integer in a letter, which may be a tuple."""
INTEGER = re.compile(r"-?[0-9]+")
MOST_TERMS = 2_000
"""The most ways that lead to one word, joined as far as they can be."""


class JoinedWay(NamedTuple):
    """What a path, or several that were joined, needs of its noise."""

    noise: tuple[Any, ...]
    signs: tuple[int, ...]
    bounds: tuple[NoiseBound, ...]
    equal: tuple[NoiseBound, ...]
    weight: Fraction


class Symbols(NamedTuple):
    """The symbolic values of a program's integer parameters, and the names of the inputs."""

    values: dict[str, Any]
    inputs: tuple[str, ...]


def symbols(entries: Mapping[str, int]) -> Symbols:
    """Inputs for integer parameters, each with the length of its tuple, 0 for a single integer."""
    values: dict[str, Any] = {}
    inputs: list[str] = []
    for name, length in entries.items():
        names = [f"{name}[{place}]" for place in range(length)] if length else [name]
        found = tuple(Affine((), Form(((each, 1),))) for each in names)
        values[name] = found if length else found[0]
        inputs += names
    return Symbols(values, tuple(inputs))


def mechanism_of(
    program: Program,
    entries: Mapping[str, int],
    constants: Mapping[str, Any],
    cancel: Cancel,
    parameter: OpenParameter | None = None,
) -> Mechanism:
    """The program's mechanism.

    Args:
        program: the program.
        entries: its integer parameters, as of `symbols`.
        constants: the values of all others.
        cancel: what may end the work.
        parameter: the constant that is left open; its value among the constants is a point that stands for it.

    Raises:
        ProgramError: something is not supported for all integers: what, where, and the way out.
    """
    values, inputs = symbols(entries)
    graph = program.graph.without_results()
    shown: frozenset[int] = frozenset()
    paths = Executor(program.name, graph, cancel).paths({**constants, **values})
    while more := _numbers_beside_integers(path.letters for path in paths) - shown:
        # One run announces a number where another one announces any integer, as max(0, noisy) does.
        shown |= more
        paths = Executor(program.name, graph, cancel, shown).paths({**constants, **values})
    ratios, k = _read_ratios({ratio for path in paths for ratio in path.noise}, program.name, parameter)
    by_letters: dict[tuple[str, ...], list[SymbolicPath]] = {}
    for path in paths:
        by_letters.setdefault(path.letters, []).append(path)
    try:
        _require_apart(by_letters)
        words = [WordSum(letters, _terms(found, ratios, cancel)) for letters, found in by_letters.items()]
    except Problem as problem:
        raise ProgramError(Defect(program.name, problem.what, problem.fix)) from None
    words.sort(key=lambda word: word.letters)
    most = max((path.outputs for path in paths), default=0)
    outputs = tuple(f"#{number}" for number in range(1, most + 1))
    letter = parameter.name if parameter is not None else k or None
    return Mechanism(program.name, inputs, outputs, tuple(words), letter)


def _at_places(words: Iterable[tuple[str, ...]]) -> Iterator[tuple[int, set[str]]]:
    """The letters that may follow the same ones, and in which place."""
    found: dict[tuple[str, ...], set[str]] = {}
    for letters in words:
        for place, letter in enumerate(letters):
            found.setdefault(letters[:place], set()).add(letter)
    yield from ((len(before), texts) for before, texts in found.items())


def _numbers_beside_integers(words: Iterable[tuple[str, ...]]) -> frozenset[int]:
    """Places where a number may follow the same letters as any integer."""
    return frozenset(
        place
        for place, texts in _at_places(words)
        if any(INTEGER.fullmatch(text) for text in texts) and any(re.fullmatch("#[0-9]+", text) for text in texts)
    )


def _require_apart(words: Iterable[tuple[str, ...]]) -> None:
    """Problem where a word with an announced integer could also be another one: they would have to be added up."""
    for _, texts in _at_places(words):
        variable = sorted(text for text in texts if "#" in text)
        # Letters of different shapes, such as #1 and (2, #1), are never one.
        shapes: dict[str, list[str]] = {}
        for text in variable:
            shapes.setdefault(INTEGER.sub("0", VARIABLE.sub("0", text)), []).append(text)
        parts = [VARIABLE.split(text) for text in variable]
        patterns = [re.compile("-?[0-9]+".join(map(re.escape, part))) for part in parts]
        mixed = sorted(t for t in texts if t not in variable and any(pattern.fullmatch(t) for pattern in patterns))
        twice = next((alike for alike in shapes.values() if len(alike) > 1), None)
        if mixed or twice:
            first, other = (twice or [variable[0], mixed[0]])[:2]
            what = f"in one place a run announces any integer ({first}), or {other}: they could be one letter"
            raise Problem(what, f"announce a word beside it, such as 'none', or {DOMAIN}")


def _read_ratios(raw: set[Any], name: str, parameter: OpenParameter | None) -> tuple[dict[Any, NoiseRatio], int]:
    """The ratios of noise as powers of one Y, or as fractions; and k of Y = e^(−1/k), or 0."""
    if parameter is not None:
        return {ratio: _power_of_parameter(ratio, parameter) for ratio in raw}, 0
    exact: dict[Any, Exponential | Fraction | None] = {}
    for ratio in raw:
        found = Fraction(ratio) if isinstance(ratio, int | Fraction) else exact_of(ratio)
        exact[ratio] = found
    if all(isinstance(found, Fraction) for found in exact.values()):
        return {ratio: found for ratio, found in exact.items() if isinstance(found, Fraction)}, 0
    exponents: dict[Any, Fraction] = {}
    for ratio, found in exact.items():
        power = found.power if isinstance(found, Exponential) else None
        if power is None or power >= 0:
            what = "the ratios of its noise are neither all fractions nor all e^(−q) with rational q"
            raise ProgramError(Defect(name, what, f"write geometric('1/2') or discrete_laplace(10), or {DOMAIN}"))
        exponents[ratio] = -power
    k = lcm(*(q.denominator for q in exponents.values()))
    return {ratio: int(q * k) for ratio, q in exponents.items()}, k


def _power_of_parameter(ratio: Any, parameter: OpenParameter) -> int:
    exact = None if isinstance(ratio, int | Fraction) else exact_of(ratio)
    found = None if exact is None else parameter.function(exact)
    if found is not None and found.bottom == 1:
        coefficients = [int(c) for c in found.top.coeffs()]
        if sum(map(bool, coefficients)) == 1 and coefficients[-1] == 1:
            return len(coefficients) - 1
    what = f"the ratio of its noise is not a power of {parameter.name}, such as {parameter.name}**2"
    raise ProgramError(Defect(parameter.name, what, f"write geometric({parameter.name}), or {DOMAIN}"))


# Joining paths.


def _terms(paths: Sequence[SymbolicPath], ratios: Mapping[Any, NoiseRatio], cancel: Cancel) -> tuple[WordTerm, ...]:
    ways = _join_ways(list(paths), 0, cancel)
    found: dict[tuple[Star, ...], Fraction] = {}
    for way in ways:
        for factor, stars in _stars_of(way, ratios):
            key = tuple(sorted(stars, key=repr))
            found[key] = found.get(key, Fraction(0)) + factor * way.weight
    if len(found) > MOST_TERMS:
        raise Problem(f"more than {MOST_TERMS:,} ways lead to one word", DOMAIN)
    return tuple(WordTerm(weight, stars) for stars, weight in found.items() if weight)


def _join_ways(paths: list[SymbolicPath], depth: int, cancel: Cancel) -> list[JoinedWay]:
    """The ways of paths that took the same choices up to a depth, those of sibling paths joined where they can be."""
    cancel.check()
    ended = [path for path in paths if len(path.choices) <= depth]
    groups: dict[Any, list[SymbolicPath]] = {}
    for path in paths:
        if len(path.choices) > depth:
            groups.setdefault(path.choices[depth], []).append(path)
    found = [JoinedWay(p.noise, p.signs, needed_of(p), p.equal, p.weight) for p in ended]
    parts = [(choice, _join_ways(group, depth + 1, cancel)) for choice, group in groups.items()]
    if len(parts) == 2 and parts[0][0].bound is not None:
        decision: NoiseBound = parts[0][0].bound
        rest = list(parts[1][1])
        for way in parts[0][1]:
            joined = next(((o, r) for o in rest if (r := _join(way, o, decision)) is not None), None)
            if joined is None:
                found.append(way)
            else:
                rest.remove(joined[0])
                found.append(way._replace(bounds=joined[1]))
        return found + rest
    return found + [way for _, ways in parts for way in ways]


def needed_of(path: SymbolicPath) -> tuple[NoiseBound, ...]:
    """Its bounds, without those that follow from others."""
    return select_needed(path.bounds)


def _join(first: JoinedWay, second: JoinedWay, decision: NoiseBound) -> tuple[NoiseBound, ...] | None:
    alike = first.signs == second.signs[: len(first.signs)] or second.signs == first.signs[: len(second.signs)]
    same = first.equal == second.equal and first.weight == second.weight
    # Noise that one of them alone has drawn has no part in what it decided, if the bounds agree.
    if not (alike and same):
        return None
    if first.noise != second.noise:
        return None
    return join(first.bounds, second.bounds, decision)


# Stars.


def _stars_of(way: JoinedWay, ratios: Mapping[Any, NoiseRatio]) -> list[tuple[int, list[Star]]]:
    """Products of stars, each with a factor of 1 or −1, whose sum is the probability of the way."""
    pinned: dict[int, Form] = {}
    for bound in way.equal:
        # #n = ±V + form, or #n = form
        if bound.left is not None and bound.right is None:
            pinned.setdefault(bound.left, bound.form)
        elif bound.right is not None and bound.left is None:
            pinned.setdefault(bound.right, bound.form.negative())
    equal = [_with_pinned(b, pinned) for b in way.equal if not _is_pin(b, pinned)]
    bounds = [_with_sums(_with_pinned(b, pinned), equal) for b in way.bounds]
    stars: list[Star] = []
    for number, form in pinned.items():
        stars.append((Atom("exact", ratios[way.noise[number]], Form()), Atom("at", None, form)))
    fixed = [b for b in bounds if b.left is None and b.right is None]
    stars += [(Atom("at", None, Form()), Atom("from", None, b.form)) for b in fixed]
    stars += [(Atom("at", None, Form()), Atom("at", None, b.form)) for b in equal if b.left is b.right is None]
    products: list[tuple[int, list[Star]]] = [(1, stars)]
    for nodes in _components([*bounds, *equal]):
        own = [b for b in bounds if {b.left, b.right} & nodes]
        alike = [b for b in equal if {b.left, b.right} & nodes]
        options = _star(nodes, own, alike, way.noise, ratios)
        products = [(sign * s, [*known, star]) for sign, known in products for s, star in options]
    return products


def _is_pin(bound: NoiseBound, pinned: Mapping[int, Form]) -> bool:
    """Whether it is the equation that a pinned noise got its form from."""
    left, right, form = bound
    if left is not None and right is None:
        return pinned.get(left) == form
    return right is not None and left is None and pinned.get(right) == form.negative()


def _with_pinned(bound: NoiseBound, pinned: Mapping[int, Form]) -> NoiseBound:
    """The bound where noise that was announced is its form."""
    found = bound
    if bound.left is not None and bound.left in pinned:
        found = found._replace(left=None, form=found.form.plus(pinned[bound.left], -1))
    if bound.right is not None and bound.right in pinned:
        found = found._replace(right=None, form=found.form.plus(pinned[bound.right]))
    return found


def _with_sums(bound: NoiseBound, equal: Sequence[NoiseBound]) -> NoiseBound:
    """The bound where it is about a sum of two noises that was announced: it then compares forms."""
    for each in equal:
        if None not in each[:2] and {*each[:2]} == {*bound[:2]}:
            form = each.form if each.left == bound.left else each.form.negative()
            return NoiseBound(None, None, bound.form.plus(form, -1))
    return bound


def _components(bounds: Iterable[NoiseBound]) -> list[set[int]]:
    """Noise that bounds connect, together."""
    found: list[set[int]] = []
    for bound in bounds:
        nodes = {node for node in bound[:2] if node is not None}
        if nodes:
            touching = [each for each in found if each & nodes]
            found = [each for each in found if not each & nodes] + [nodes.union(*touching)]
    return found


def _star(
    nodes: set[int],
    bounds: Sequence[NoiseBound],
    equal: Sequence[NoiseBound],
    noise: Sequence[Any],
    ratios: Mapping[Any, NoiseRatio],
) -> list[tuple[int, Star]]:
    """The sum over the centre of a component: one star, or a difference of two where noise lies between two bounds."""
    every = [*bounds, *equal]
    joint = [{b.left, b.right} for b in every if b.left is not None and b.right is not None]
    alone = {node for b in every if None in b[:2] for node in b[:2] if node is not None}
    centres = [c for c in sorted(nodes) if all(c in pair for pair in joint) and alone <= {c}]
    if not centres:
        what = "noise is compared with noise that was compared with something else: there is not one kept integer"
        raise Problem(what, DOMAIN)
    centre = next((c for c in centres if c in alone), centres[0])
    atoms: list[Atom] = [Atom("exact", ratios[noise[centre]], Form())]
    for b in bounds:
        if b.left == centre and b.right is None:
            atoms.append(Atom("from", None, b.form))
        elif b.right == centre and b.left is None:
            atoms.append(Atom("upto", None, b.form.negative()))
    for b in equal:
        if b.left == centre and b.right is None:
            atoms.append(Atom("at", None, b.form))
        elif b.right == centre and b.left is None:
            atoms.append(Atom("at", None, b.form.negative()))
    options: list[tuple[int, list[Atom]]] = [(1, atoms)]
    for leaf in sorted(nodes - {centre}):
        choices = _leaf(leaf, centre, bounds, equal, ratios[noise[leaf]])
        options = [(s * sign, [*known, atom]) for s, known in options for sign, atom in choices]
    return [(sign, tuple(sorted(found, key=repr))) for sign, found in options]


def _leaf(
    leaf: int, centre: int, bounds: Sequence[NoiseBound], equal: Sequence[NoiseBound], ratio: NoiseRatio
) -> list[tuple[int, Atom]]:
    """What the noise of a leaf has to satisfy, given the centre K: atoms in K, added or subtracted."""
    same = [b for b in equal if leaf in b[:2]]
    # Z ≥ K + f: above, at the point −f;  Z ≤ K − f: below, at the point f.
    lows = [b.form for b in bounds if b.left == leaf and b.right == centre]
    highs = [b.form for b in bounds if b.right == leaf and b.left == centre]
    if same:
        if len(same) > 1:
            raise Problem("two sums of the same two noises are announced", DOMAIN)
        (bound,) = same
        form = bound.form if bound.left == leaf else bound.form.negative()
        return [(1, Atom("exact", ratio, form.negative()))]
    low, high = _largest(lows), _largest(highs)
    above = None if low is None else Atom("above", ratio, low.negative())
    if high is None:
        return [(1, above)] if above is not None else []
    below = Atom("below", ratio, high)
    if above is None or low is None:
        return [(1, below)]
    # K + f ≤ Z ≤ K − g: P(Z ≤ K − g) − P(Z ≤ K + f − 1), where f ≤ −g + 1, which is a matter of constants.
    room = high.negative().plus(low, -1)
    if room.parts or room.constant < -1:
        raise Problem("noise lies between two bounds that depend on inputs in different ways", DOMAIN)
    return [(1, below), (-1, Atom("below", ratio, low.negative().shift(1)))]


def _largest(forms: Sequence[Form]) -> Form | None:
    """The one that implies the others."""
    if not forms:
        return None
    best = max(forms, key=lambda form: form.constant)
    if any(form.parts != best.parts for form in forms):
        raise Problem("noise is compared with the kept integer plus several inputs", DOMAIN)
    return best
