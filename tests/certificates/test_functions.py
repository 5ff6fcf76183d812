"""The checker's functions of e^(1/k): numbers against Python's decimals and FLINT's, then models, then certificates.

`tests.fuzz.functions` asks the engine for certificates about random chains, and bends them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from deltachain import Chain, load, save
from deltachain.certificate.older import older_model_of
from deltachain.certificate.verification import Seen, verify_certificate
from deltachain.errors import InputError
from deltachain.model import PointRow
from deltachain.model.rows import Quotients
from deltachain.numbers.exponential import Exponential, coefficients, read_exponential
from deltachain.numbers.field import as_text
from deltachain_checker_v1 import CertificateRejected, functions
from deltachain_checker_v1.functions import (
    FormulaReader,
    FunctionOfE,
    base,
    common_form,
    exponential,
    function,
    sign,
    times,
)
from deltachain_checker_v1.read import Model, parse, read_file, read_model
from deltachain_checker_v1.recipes import Recipes
from tests.fuzz.functions import CLOSE, check_case, drawn, random_case
from tests.reference.functions import chain_of, random_functions

from .fixtures import KEPT, document_of, model_named, proved
from .live import WHOLE, accepted, changed
from .live import read as number_of

F = Fraction


def refused(check: Callable[[], object], words: str) -> None:
    """Raises CertificateRejected with these words."""
    with pytest.raises(CertificateRejected) as caught:
        check()
    assert words in str(caught.value)


# Numbers


def random_formula(random: Random, depth: int) -> str:
    """A formula of e^q; zeros, ties and divisions by 0 are frequent."""
    if depth == 0:
        simple = random.randint(0, 5), random.choice(["0.5", "2e-1", "1.25"]), f"exp({random.randint(-4, 4)}/3)"
        return str(random.choice([*simple, "exp(1/2)", "exp(-1)", "exp(1/10)"]))
    one, other = (random_formula(random, depth - 1) for _ in range(2))
    sums = f"({one})+({other})", f"({one})-({other})", f"-({one})"
    products = f"{one}*({other})", f"({one})/({other})", f"({one})/({one}-1)"
    powers = f"({one})^{random.randint(0, 3)}", f"({one}) ^ -{random.randint(0, 2)}"
    return random.choice([*sums, *products, *powers])


def same(ours: object, theirs: Exponential) -> bool:
    """Whether two implementations mean one number, in one form."""
    if isinstance(ours, FunctionOfE):
        return (ours.k, ours.top, ours.bottom) == (theirs.k, coefficients(theirs.top), coefficients(theirs.bottom))
    return ours == theirs.rational


@pytest.mark.parametrize("seed", range(8))
def test_formulas_mean_what_they_mean_in_flint(seed: int) -> None:
    random = Random(seed)
    known: list[tuple[Any, Exponential]] = []
    ended: Counter[str] = Counter()
    for _ in range(120):
        text = random_formula(random, random.randint(0, 3))
        try:
            theirs = read_exponential(text)
        except InputError:
            refused(lambda text=text: FormulaReader(text).read(), "number: ")  # type: ignore[misc]
            ended["refused"] += 1
            continue
        ours = FormulaReader(text).read()
        assert same(ours, theirs), text
        assert FormulaReader(str(ours)).read() == ours
        for mine, others in random.sample(known, min(len(known), 3)):
            assert same(ours + mine, theirs + others)
            assert same(ours - mine, theirs - others)
            assert same(ours * mine, theirs * others)
            assert (ours < mine, ours <= mine, ours > mine, ours >= mine, ours == mine) == (
                *(theirs < others, theirs <= others, theirs > others, theirs >= others, theirs == others),
            )
        known.append((ours, theirs))
        ended[type(ours).__name__] += 1
    assert min(ended[how] for how in ("refused", "Fraction", "FunctionOfE")) > 0


@pytest.mark.parametrize("k", [1, 2, 3, 10, 97, 10**9, 10**40])
@pytest.mark.parametrize("places", [1, 8, 128, 1000])
def test_the_base_is_enclosed(k: int, places: int) -> None:
    low, high = base(k, places)
    with localcontext(prec=400):
        truth = (Decimal(1) / k).exp() * 2**places
        assert low <= truth <= high
    assert high - low <= places + 40


@pytest.mark.parametrize("seed", range(20))
def test_signs_floors_and_ceilings_agree_with_decimals(seed: int) -> None:
    random = Random(seed)
    k = random.choice([1, 2, 7, 50])
    top, bottom = (functions.trimmed(random.randint(-9, 9) for _ in range(random.randint(2, 30))) for _ in range(2))
    if len(top) < 2 or len(bottom) < 2:
        return
    with localcontext(prec=120):
        x = (Decimal(1) / k).exp()
        above, below = (sum((c * x**i for i, c in enumerate(p)), Decimal(0)) for p in (top, bottom))
        assert sign(k, top) == (1 if above > 0 else -1)
        value = function(k, top, bottom)
        scale = 10**20
        assert isinstance(value, FunctionOfE)
        assert math.floor(value * scale) == math.floor(above / below * scale)
        assert math.ceil(value * scale) == math.ceil(above / below * scale)


@pytest.mark.parametrize("digits", [40, 200, 1000])
def test_signs_that_many_digits_tell(digits: int) -> None:
    with localcontext(prec=digits + 30):
        e = Decimal(1).exp()
        near = int(e * 10**digits)
    assert sign(1, (-near, 10**digits)) == 1
    assert sign(1, (-near - 1, 10**digits)) == -1
    assert F(near, 10**digits) < exponential(F(1)) < F(near + 1, 10**digits)


def test_zero_is_a_matter_of_coefficients() -> None:
    x = exponential(F(1, 10))
    assert x * x - x * x == 0
    assert (x + 1) * (x - 1) / (x * x - 1) == 1
    assert type((x + 1) * (x - 1) / (x * x - 1)) is Fraction
    assert type(x / x + x - x) is Fraction
    assert x != F(11, 10)


def test_products_and_quotients_of_long_polynomials() -> None:
    random = Random(1)
    p, q, g = (tuple(random.randint(-(10**30), 10**30) for _ in range(60)) for _ in range(3))
    slow = [0] * 119
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            slow[i + j] += a * b
    assert times(p, q) == tuple(slow)
    one, other, shared = functions.reduced(times(p, g), times(q, g))
    assert times(one, q) == times(other, p)
    assert len(one) == len(other) == len(shared) == 60
    assert (times(one, shared), times(other, shared)) == (times(p, g), times(q, g))


@pytest.mark.parametrize(("p", "q"), [((-1, 0, 1), (1, 1)), ((2, 4), (6, 12)), ((0, 0, 6), (0, 4)), ((2, 1), (4, 1))])
def test_common_divisors(p: tuple[int, ...], q: tuple[int, ...]) -> None:
    a, b, shared = functions.reduced(p, q)
    assert times(a, q) == times(b, p)
    assert len(a) == {(-1, 0, 1): 2, (2, 4): 1, (0, 0, 6): 2, (2, 1): 2}[p]
    assert math.gcd(*a, *b) == 1
    assert (times(a, shared), times(b, shared)) == (p, q)


# Models


def read(to: dict[str, Any]) -> Model:
    """A model with this row, from a to a and b."""
    states = {"a": {"label": "x", "to": to}, "b": {"label": "y", "to": {"b": 1}}}
    return read_model(parse(json.dumps({"format": "deltachain.chain/1", "states": states})))


def test_the_hash_as_it_is_specified() -> None:
    import hashlib

    model = read({"a": "exp(-1/10)/(1+exp(-1/10))", "b": "1/(1+exp(-1/10))"})
    lines = '["a","x",[["a",["1"]],["b",["0","1"]],["1","1"],10]]\n["b","y",[["b","1"]]]\n'
    assert model.sha256() == hashlib.sha256(lines.encode()).hexdigest()
    assert read({"b": "1-1/(exp(0.1)+1)", "a": "(exp(1/10)-1)/(exp(2/10)-1)"}).sha256() == model.sha256()
    assert read({"a": "exp(1/2)*exp(-1/2)/4", "b": "0.75"}).sha256() == read({"a": "1/4", "b": "3/4"}).sha256()
    assert common_form(read({"a": "1/6", "b": "5/6"}).row["a"]) == ({"a": (1,), "b": (5,)}, (6,), 1)
    half = read({"a": "1/2*exp(1/2)/(1+exp(1/2))", "b": "1-1/2*exp(1/2)/(1+exp(1/2))"})
    assert common_form(half.given["a"][None]) == ({"a": (0, 1), "b": (2, 1)}, (2, 2), 2)  # type: ignore[arg-type]


def test_a_common_denominator_is_multiplied_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A greatest common divisor that is missed is a rejection, not another number."""
    row = {"a": FormulaReader("1/(1+exp(1))").read(), "b": FormulaReader("1/(1-exp(2))").read(), "c": F(1, 3)}
    tops, bottom, k = common_form(row)
    assert {target: function(k, top, bottom) for target, top in tops.items()} == row
    monkeypatch.setattr(functions, "reduced", lambda p, q: (p, q, (1,)))
    refused(lambda: common_form(row), "a common denominator of a row")


@pytest.mark.parametrize("seed", range(60))
def test_a_chain_and_its_file_have_one_hash(seed: int, tmp_path: Path) -> None:
    rows, labels = random_functions(Random(seed), cyclic=seed % 2 == 0)
    chain = chain_of(rows, labels)
    states = {
        str(i): {"label": label, "to": {str(j): str(p.rational or p) for j, p in row.items()}}
        for i, (row, label) in enumerate(zip(rows, labels, strict=True))
    }
    model = read_model(parse(json.dumps({"format": "deltachain.chain/1", "states": states})))
    assert model.sha256() == older_model_of(chain).sha256() == chain.sha256
    assert model.given == older_model_of(chain).given
    save(chain, tmp_path / "chain.json")
    assert read_model(read_file(str(tmp_path / "chain.json"))).given == model.given
    assert load(tmp_path / "chain.json").sha256 == chain.sha256


def of_exact(exact: Quotients) -> Chain:
    """Two states; the first has this row."""
    return Chain(("a", "b"), ("x", "y"), ((PointRow(exact),), (PointRow(((1, F(1)),)),)))


def test_one_row_has_one_form_however_it_was_built() -> None:
    short = of_exact(Quotients(10, ((0, (1,)), (1, (0, 1))), (1, 1)))
    assert of_exact(Quotients(20, ((0, (3, 0, 3)), (1, (0, 0, 3, 0, 3))), (3, 0, 6, 0, 3))).given == short.given
    assert of_exact(Quotients(10, ((0, (-1,)), (1, (0, -1, 0))), (-1, -1))).sha256 == short.sha256
    assert short.sha256 == read({"a": "exp(-1/10)/(1+exp(-1/10))", "b": "1/(1+exp(-1/10))"}).sha256()
    rational = of_exact(Quotients(3, ((0, (1, 1)), (1, (3, 3))), (4, 4)))
    assert rational.rows[0] == ((0, F(1, 4)), (1, F(3, 4)))
    mixed = Quotients(1, ((0, (1, 1)), (1, (1,)), (2, (0, 1))), (2, 2))
    given = ((PointRow(mixed),), (PointRow(((1, F(1)),)),), (PointRow(((2, F(1)),)),))
    row = Chain(("a", "b", "c"), ("x", "y", "z"), given).given[0][0]
    assert isinstance(row, PointRow)
    assert row.entries[0] == (0, F(1, 2))


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ({"a": "exp(1)", "b": "1-exp(1)"}, "probabilities that are not negative"),
        ({"a": "exp(-1)", "b": "exp(-1)"}, "a row that sums to one: (2)/(exp(1)) against 1"),
        ({"a": "exp(-1)", "b": "0.632120558828557678404476229838"}, "a row that sums to one"),
        ({"a": "exp(-1)", "b": ["0.6", "0.7"]}, "an integer or text 'p/q': exp(-1)"),
        ({"a": "exp(exp(1))", "b": 1}, "exp of a rational"),
        ({"a": "1/2/1", "b": "1/2"}, "an integer or text 'p/q': 1/2/1"),
    ],
)
def test_rows_that_are_none(to: dict[str, Any], words: str) -> None:
    refused(lambda: read(to), words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exp(exp(1))", "exp of a rational"),
        ("exp(1/0)", "no division by 0"),
        ("1/(exp(1)-exp(1))", "no division by 0"),
        ("0^-1", "no division by 0"),
        ("2^(1/2)", "whole powers up to 20000"),
        ("2^20001", "whole powers up to 20000"),
        ("2^exp(1)", "whole powers up to 20000"),
        ("2^3^2", "a formula that ends before '^'"),
        ("2**3", "a number, exp(…) or (…) where one is due"),
        ("exp 1", "a number, exp(…) or (…) where one is due"),
        ("exp()", "a number, exp(…) or (…) where one is due"),
        ("(1", "parentheses that are closed"),
        ("1)", "a formula that ends before ')'"),
        ("1.", "numbers, + - * / ^, parentheses and exp of a rational"),
        ("expo(1)", "numbers, + - * / ^, parentheses and exp of a rational"),
        ("__import__('os')", "numbers, + - * / ^, parentheses and exp of a rational"),
        ("exp(\u0661)", "numbers, + - * / ^, parentheses and exp of a rational"),
        ("sqrt(2)", "numbers, + - * / ^, parentheses and exp of a rational"),
    ],
)
def test_formulas_that_are_none(text: str, words: str) -> None:
    refused(lambda: FormulaReader(text).read(), words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exp(20001)", "a degree of at most 20000"),
        ("exp(99999999999999999999)", "a degree of at most 20000"),
        ("exp(1)*exp(1/20001)", "a degree of at most 20000"),
        ("exp(1)*exp(1/1000000007)", "a degree of at most 20000"),
        ("exp(1/20011)+exp(1/20021)", "a degree of at most 20000"),
        ("(1+exp(1))^20000", "bits"),
        ("(1+exp(1))^2001*(2+exp(1))^2001", "bits"),
        ("((10^20000)^20000)", "bits"),
        ("(((1+exp(1))^20000)^20000)^20000", "bits"),
        ("1e9999^9999", "bits"),
        ("1+1e10000", "a formula that ends before '0'"),
        ("(" * 51 + "1" + ")" * 51, "at most 50 nested parentheses"),
        ("(" * 10_000 + "1" + ")" * 9_999, "at most 50 nested parentheses"),
        ("exp(" * 60 + "0" + ")" * 60, "at most 50 nested parentheses"),
        ("-" * 19_990 + "1" + "exp", "ends before 'exp'"),
        ("1+" * 10_000 + "1", "a formula of at most 20000 characters"),
        ("exp(" + "9" * 10_000 + ")", "a degree of at most 20000"),
    ],
)
def test_formulas_that_ask_for_too_much(text: str, words: str) -> None:
    refused(lambda: FormulaReader(text).read(), words)


def test_long_formulas_within_the_limits() -> None:
    assert FormulaReader("-" * 19_998 + "1").read() == 1
    assert FormulaReader("(" * 49 + "1" + ")" * 49).read() == 1
    assert FormulaReader("exp(20000)*exp(-19999)").read() == exponential(F(1))
    assert FormulaReader("1" * 20_000).read() == 10**20_000 // 9


# Certificates


def model_of_kept(name: str) -> Model:
    """The model of a certificate that is accepted."""
    return model_named(KEPT["accept"][name]["model"])


def test_numbers_of_a_certificate_are_limited() -> None:
    model, document = model_named("exp-coin"), document_of("accept", "functions-tie")
    place = ("nodes", 1, 0, 0, 1)
    long = changed(document, place, [[0] * 20_001 + [1], [1]])
    refused(lambda: proved(model, long), "a degree of at most 20000")
    refused(lambda: proved(model, document | {"base": 2 * 10**9}), "e^ε between")
    stretched = document | {"base": 10**9, "alpha": "8/5", "exp_epsilon": {"upper": 1, "lower": 2}}
    refused(lambda: proved(model, changed(stretched, place, [[0, 1], [1]])), "a degree of at most 20000")
    # 2^21 bits in all, before anything is multiplied
    wide = changed(document, place, [[10**600] * 1_100, [1]])
    refused(lambda: proved(model, wide), "bits")


def test_a_huge_base_that_nothing_uses() -> None:
    document = document_of("accept", "recipe-tree")
    assert document["exp_epsilon"]["upper"] == document["exp_epsilon"]["lower"]
    document |= {"base": 10**9, "alpha": document["exp_epsilon"]["upper"]}
    (sentence,) = proved(model_of_kept("recipe-tree"), document)
    (known,) = KEPT["accept"]["recipe-tree"]["proves"]
    assert sentence == known.partition(" (lower side)")[0]


def test_rows_are_rounded_from_what_they_are() -> None:
    document = parse(json.dumps(document_of("accept", "functions-tree") | {"row_bits": 200}))
    recipes = Recipes(model_named("exp-coin"), document, {"upper": F(1), "lower": F(1)})
    bottom, lows, highs, rest = recipes.row[recipes.state["s"]][None]
    h, t = recipes.state["h"], recipes.state["t"]
    with localcontext(prec=120):
        x = Decimal("0.5").exp()
        shares = [int(p * 2**200) for p in (x / (1 + x), 1 / (1 + x))]
    assert lows == [(h, shares[0]), (t, shares[1])]
    assert highs == [(h, shares[0] + 1), (t, shares[1] + 1)]
    assert (bottom, rest) == (2**200, 0)
    assert recipes.row[h][None] == (1, [(h, 1)], [(h, 1)], 0)


@pytest.mark.seeds(3, 120)
def test_the_engines_certificates_are_accepted_and_changes_prove_nothing_false(seed: int) -> None:
    ended = Counter(check_case(random_case(Random(f"{seed} {i}"))) for i in range(10))
    assert sum(ended[how] for how in ("graph", "recipes")) > 0


@pytest.mark.parametrize("cyclic", [False, True])
def test_certificates_of_every_kind_are_among_them(cyclic: bool) -> None:
    kinds = Counter()
    for seed in range(16):
        case = random_case(Random(seed)) | {"cyclic": cyclic, "max_nodes": [1000, 1][seed % 2]}
        chain, document, _ = drawn(case)
        assert verify_certificate(chain, document)
        kinds += Counter(kind for kind in ("field", "recipes", "merge") if kind in document)
    assert min(kinds[kind] for kind in ("field", "recipes", "merge")) > 0, kinds


def with_a_tie_or_more(random: Random) -> tuple[Seen, Any]:
    """A chain that ends, and its certificate over functions: every value of a node is exact."""
    while True:
        epsilon = random.choice(["1/2", "1/10", "1"])
        chain, document, _ = drawn(random_case(random) | {"cyclic": False, "max_nodes": 1000, "epsilon": epsilon})
        if "field" in document and "graph" in document:
            return Seen(chain), document


@pytest.mark.seeds(3, 12)
def test_no_coefficient_of_a_node_may_be_changed_by_one_unit(seed: int) -> None:
    """Where it has two sides that differ, no multiple of it is the node after the change."""
    random, tried = Random(seed), 0
    for _ in range(200):
        seen, document = with_a_tie_or_more(random)
        beliefs = document["beliefs"]
        both = {b for (x, y), *_ in document["graph"] if x != y and beliefs[x] and beliefs[y] for b in (x, y)}
        for b in sorted(both):
            for k, (_, value) in enumerate(beliefs[b]):
                for found in WHOLE.finditer(value):
                    after = f"{value[: found.start()]}{int(found[0]) + 1}{value[found.end() :]}"
                    place = ("beliefs", b, k, 1)
                    assert not accepted(seen, changed(document, place, after)), place
                    tried += 1
        if tried >= 5:
            return
    pytest.fail("too few nodes with two sides")


@pytest.mark.seeds(3, 12)
def test_no_value_may_be_changed_by_a_little(seed: int) -> None:
    random, tried = Random(seed), 0
    for _ in range(200):
        seen, document = with_a_tie_or_more(random)
        k = int(document["field"]["base"])
        for entry, (_, *values) in enumerate(document["values"]):
            for way, by in product((0, 1), (-CLOSE, CLOSE)):
                if not isinstance(values[way], str):
                    continue  # two ends, where e^ε is enclosed: there is room between them
                tried += " " in values[way]
                moved = as_text(number_of(document, values[way]) + by, k)
                assert not accepted(seen, changed(document, ("values", entry, way + 1), moved)), (entry, way)
        if tried >= 5:
            return
    pytest.fail("too few values that are functions")
