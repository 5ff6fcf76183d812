"""check, epsilon, parametric and verify of programs at all integers."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import CertificateRejected, InputError, SolverError, Stopped
from deltachain.integers.mechanism import document
from deltachain.measures.integers import verb
from deltachain.measures.integers.find import subject_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain.settings import Settings
from deltachain_checker.__main__ import main
from tests.words import says

COUNT = dc.program("def count(n: int): announce(n + discrete_laplace(10))")
BUCKET = dc.program("def bucket(n: int): announce((n + discrete_laplace(10)) // 8)")
TWICE = dc.program("def twice(n: int): announce(n + discrete_laplace(10) + discrete_laplace(10))")
HISTOGRAM = dc.program(
    """
def histogram(counts: tuple[int, int, int]):
    for x in counts:
        z = x + discrete_laplace(10)
        if z >= 20:
            announce(z)
        else:
            announce("small")
"""
)
SVT = dc.program(
    """
def svt(q: tuple[int, int], u=0):
    bar = geometric(u * u)
    for x in q:
        if x + geometric(u) >= bar:
            announce("above")
            return
        announce("below")
"""
)
OPEN_SVT = dc.program(SVT.source.replace("u=0", "u"))
INDEX = dc.program(
    """
def index(q: tuple[int, int]):
    announce(1 if q[1] + geometric("1/3") > q[0] + geometric("1/2") else 0)
"""
)


@pytest.mark.parametrize(
    ("program", "neighbours", "least"),
    [
        (COUNT, "l1 1", Fraction(1, 10)),
        (COUNT, "linf 3", Fraction(3, 10)),
        (BUCKET, "linf 1", Fraction(1, 10)),
        (TWICE, "linf 1", Fraction(1, 10)),
        (HISTOGRAM, "l1 1", Fraction(1, 10)),
        (HISTOGRAM, "linf 1", Fraction(3, 10)),
    ],
)
def test_the_least_epsilon_is_found_exactly(program: dc.Program, neighbours: str, least: Fraction) -> None:
    found = dc.epsilon(program, delta=0, neighbours=neighbours)
    assert (found.least, found.exact, found.checked_proved.accepted) == (least, True, True)
    assert says(found.covers, "and all neighbours")
    assert dc.verify(program, found.certificate, neighbours=neighbours)
    at = dc.check(program, delta=0, epsilon=least, neighbours=neighbours)
    assert (at.verdict, at.upper, at.checked.accepted) == ("private", 0, True)
    below = dc.check(program, delta=0, epsilon=least * Fraction(9, 10), neighbours=neighbours)
    assert below.verdict == "violated"
    assert below.checked.accepted or "too large" in below.checked.why  # of the chain of two inputs


@pytest.mark.parametrize(
    "text",
    [
        'def plain(n: int): announce("high" if n >= 0 else "low")',
        "def shown(n: int): announce(n)",
        """
def both(n: int):
    z = geometric("1/4")
    announce(n + z)
    announce(n - z)
""",
    ],
)
def test_where_noise_hides_nothing_no_epsilon_is_enough(text: str) -> None:
    # On some regions a word has no probability on either side: these have no corners.
    found = dc.epsilon(dc.program(text), delta=0, neighbours="linf 1", timeout=60)
    assert says(str(found), "ε is enough")
    assert dc.check(dc.program(text), exp_epsilon=1000, delta=0, neighbours="linf 1", timeout=60).verdict == "violated"


def test_a_word_that_is_impossible_on_some_regions_is_checked() -> None:
    program = dc.program(
        """
def thirds(n: int):
    z = n + geometric("1/4")
    announce(z // 2)
    announce(z // 3)
"""
    )
    assert dc.epsilon(program, delta=0, neighbours="linf 1", timeout=60).exp_epsilon_proved == 4
    assert dc.check(program, exp_epsilon=4, delta=0, neighbours="linf 1", timeout=60).verdict == "private"
    assert dc.check(program, exp_epsilon="3.99", delta=0, neighbours="linf 1", timeout=60).verdict == "violated"


def test_an_epsilon_of_fractions_is_one() -> None:
    found = dc.epsilon(INDEX, delta=0, neighbours="linf 1")
    assert found.exact
    assert found.exp_epsilon_proved == found.refuted
    assert dc.check(INDEX, delta=0, exp_epsilon=found.refuted, neighbours="linf 1").verdict == "private"
    smaller = found.refuted * Fraction(999, 1000)
    assert dc.check(INDEX, delta=0, exp_epsilon=smaller, neighbours="linf 1").verdict == "violated"


def test_a_violation_is_a_concrete_pair_with_an_ordinary_certificate() -> None:
    found = dc.parametric(OPEN_SVT, parameter="u=0:1", exp_epsilon="u^-1", delta=0, neighbours="linf 1")
    assert found.violated
    ((first, second),) = found.against
    assert first.startswith("q=(")
    secrets = [eval(f"dict({name})") for name in (first, second)]  # noqa: S307 - names that we made
    assert max(abs(a - b) for a, b in zip(secrets[0]["q"], secrets[1]["q"], strict=True)) == 1
    assert dc.verify(OPEN_SVT, found.certificate, secrets=secrets)


def test_every_value_of_a_parameter_at_once() -> None:
    found = dc.parametric(OPEN_SVT, parameter="u=0:1", exp_epsilon="u^-2", delta=0, neighbours="linf 1")
    assert found.violated == ()
    assert found.checked.accepted
    assert says(found.headline, "for all integers")
    (claim,) = dc.verify(OPEN_SVT, found.certificate)
    assert says(str(claim), "at exp_epsilon")


VALUE_SHOWN = dc.program(
    """
def svt(q: tuple[int, int, int], u):
    bar = geometric(u)
    for x in q:
        z = x + geometric(u * u)
        if z >= bar:
            announce(z)
            return
        announce("below")
"""
)


def test_a_pair_whose_chain_has_no_functions_of_the_parameter_is_refuted_by_one_word() -> None:
    found = dc.parametric(VALUE_SHOWN, parameter="u=0:1", exp_epsilon="u^-5", delta=0, neighbours="linf 1")
    assert found.by_one_word
    assert found.holds == "nowhere"
    assert not found.checked.accepted
    ((one, other),) = found.against
    pair = [{"q": tuple(map(int, name[3:-1].split(",")))} for name in (one, other)]
    source = VALUE_SHOWN.source.replace("], u)", "])").replace("(u)", "('1/2')").replace("(u * u)", "('1/4')")
    half = dc.program(source)
    assert dc.check(half, secrets=pair, exp_epsilon=32, delta=0).verdict == "violated"


def test_a_certificate_is_about_its_program_and_its_neighbours() -> None:
    proof = dc.check(COUNT, delta=0, epsilon="1/5", neighbours="linf 2").certificate
    assert dc.verify(COUNT, proof, neighbours="linf 2")
    with pytest.raises(CertificateRejected, match="neighbours"):
        dc.verify(COUNT, proof, neighbours="linf 3")
    with pytest.raises(CertificateRejected, match="model"):
        dc.verify(BUCKET, proof)


def test_the_checker_alone_reads_the_mechanism(tmp_path: Path) -> None:
    settings = Settings(neighbours="linf 1")
    found = dc.check(TWICE, delta=0, epsilon="1/10", neighbours="linf 1")
    subject = subject_of(TWICE, settings, Cancel())
    assert subject is not None
    model, certificate = tmp_path / "model.json", tmp_path / "proof.json"
    model.write_text(json.dumps(document(subject.mechanism)))
    found.certificate.save(certificate)
    assert main([str(model), str(certificate)]) == 0


SUPREMA = [
    ("svt", 1, 0, "0.0352490265"),
    ("svt", 2, 0, "0.0425504995"),
    ("svt", 2, 1, "0.0140030360"),
    ("noisy_max", 2, 0, "0.0526315789"),
    ("noisy_max", 2, 1, "0.0102235178"),
    ("noisy_max", 3, 0, "0.0558099042"),
    ("noisy_max", 3, 1, "0.0192871219"),
]
"""Program, inputs, the power of 10/9 that e^ε is, and ten digits of the supremum of δ over all integers, u = 9/10."""


def of_length(name: str, n: int) -> dc.Program:
    """A program whose answers are so many."""
    text = {
        "svt": """
def svt(q: tuple[ints], u=Fraction(9, 10)):
    bar = geometric(u * u)
    for x in q:
        if x + geometric(u) >= bar:
            announce("above")
            return
        announce("below")
""",
        "noisy_max": """
def noisy_max(q: tuple[ints], u=Fraction(9, 10)):
    best, index = q[0] + geometric(u), 0
    for i in range(1, len(q)):
        z = q[i] + geometric(u)
        if z > best:
            best, index = z, i
    announce(index)
""",
    }[name]
    return dc.program(
        text.replace("ints", ", ".join(["int"] * n))
        .replace("Fraction(9, 10)", "'9/10'")
        .replace("    bar = geometric(u * u)", "    bar = geometric('81/100')")
    )


@pytest.mark.parametrize(("name", "n", "power", "digits"), SUPREMA)
def test_the_supremum_of_delta_over_all_integers(name: str, n: int, power: int, digits: str) -> None:
    program = of_length(name, n)
    alpha = Fraction(10, 9) ** power
    found = dc.delta(program, exp_epsilon=alpha, neighbours="linf 1")
    assert found.exact
    assert isinstance(found.value, Fraction)
    assert round(found.value * 10**10) == int(digits.replace(".", ""))
    assert not found.checked.accepted  # bounds on a δ above 0 have no certificate
    secrets = dc.domain(q=list(product(range(-1, 2), repeat=n)))
    near = dc.delta(program, exp_epsilon=alpha, secrets=secrets, neighbours="linf 1")
    assert near.upper <= found.value  # an ordinary answer about inputs that are listed
    assert found.value - near.lower < Fraction(1, 50)


def test_the_pair_that_attains_the_supremum_is_a_pair() -> None:
    found = dc.delta(of_length("svt", 2), exp_epsilon=1, neighbours="linf 1")
    said = str(found.explanation)
    names = [part.partition(")) ")[0].rstrip(".") for part in said.partition("attained by (")[2].split(" and (")]
    secrets = [
        {"q": tuple(int(x) for x in name.strip("q=()").split(",")[:2])} for name in (n.split(")")[0] for n in names)
    ]
    pair = dc.delta(of_length("svt", 2), exp_epsilon=1, secrets=secrets)
    assert pair.value == found.value


def test_a_supremum_over_outputs_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="announces integers"):
        dc.delta(COUNT, epsilon=1, neighbours="linf 1")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"epsilon": 1}, "any two of all integers"),
        ({"epsilon": 1, "neighbours": "one-entry"}, "any amount"),
        ({"epsilon": 1, "neighbours": "add-remove"}, "not supported for all integers"),
        ({"epsilon": 1, "neighbours": "linf 1", "delta": "1/10"}, "only δ = 0"),
        ({"epsilon": 1, "neighbours": "linf 1", "repeat": 2}, "repeat"),
    ],
)
def test_what_is_not_asked_of_all_integers_is_refused(options: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        dc.check(COUNT, **{"delta": 0, **options})  # type: ignore[arg-type]


def test_with_secrets_a_program_of_integers_is_read_as_ever() -> None:
    found = dc.check(COUNT, delta=0, epsilon="1/10", secrets=dc.domain(n=range(3)), neighbours="linf 1")
    assert found.verdict == "private"
    assert found.results[0].pair == ("n=0", "n=1")


def test_time_that_is_over_leaves_it_undecided() -> None:
    cancel = Cancel()
    subject = subject_of(HISTOGRAM, Settings(neighbours="linf 1"), cancel)
    assert subject is not None
    cancel.interrupt()
    with pytest.raises(Stopped):
        verb.decide(subject, verb.at_epsilon(subject, ExpEpsilon.read(epsilon=1))[1], cancel)


@pytest.mark.parametrize(
    ("body", "at", "number"),
    [
        ("announce((1 if n > 5000 else 0) + geometric('1/2'))", {"exp_epsilon": 2}, "5,001"),
        ("announce(n + discrete_laplace(10))", {"epsilon": "5001/50000"}, "5,000"),
    ],
)
def test_a_number_that_no_certificate_may_have_is_named(body: str, at: dict[str, int | str], number: str) -> None:
    program = dc.program(f"def large(n: int):\n    {body}")
    with pytest.raises(SolverError, match=f"{number} .* up to 4,000"):
        dc.check(program, delta=0, neighbours="linf 1", **at)


def test_a_clamp_whose_ends_are_far_apart_is_refused_at_once() -> None:
    program = dc.program("def far(n: int): announce(min(max(n, -10**9), 10**9) + geometric('1/2'))")
    with pytest.raises(InputError, match="more than 20,000 cases"):
        dc.check(program, delta=0, neighbours="linf 1", exp_epsilon=2)
