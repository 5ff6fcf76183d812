"""What else is recorded: every verb of the command line and of Python, about chains of every kind.

A *command* is a line without its model, ``["delta", "--epsilon", "1/2"]``; a *call* names a function of `deltachain`,
its arguments, and what is asked of its result afterwards. How a proof is asked for is said in `asked`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from tests.record.corpus import OTHER_ROWS, Model, Questions, native, rewritten
from tests.reference.endless_chains import correlated, drawn_ahead

PROGRAMS = "tests/record/programs.py"
CODE = "tests/record/plain_code.py"
BITS: list[dict[str, object]] = [{"x": 0}, {"x": 1}]
AT = ("--epsilon", "1/2")
"""An irrational e^ε."""
GRID = ("--epsilons", "0,1/2,1,2")
FEW_NODES = ("--max-nodes", "200")

Line = tuple[str, ...]


def _chain(states: dict[str, tuple[str, dict[str, Any]]], relation: list[tuple[str, str]], **more: Any) -> str:
    body = {name: {"label": label} | row for name, (label, row) in states.items()}
    return json.dumps({"format": "deltachain.chain/1", "states": body, "relation": relation} | more)


_ENDS = {name: (name, {"to": {name: 1}}) for name in ("h", "t")}
FRACTIONS = _chain(
    {
        "a": ("start", {"to": {"c": "2/3", "d": "1/3"}}),
        "b": ("start", {"to": {"c": "1/4", "d": "3/4"}}),
        "c": ("on", {"to": {"h": "4/5", "t": "1/5"}}),
        "d": ("on", {"to": {"h": "1/10", "t": "9/10"}}),
        **_ENDS,
    },
    [("a", "b")],
)
THIRDS = _chain(
    {
        "a": ("start", {"to": {"h": "exp(-1/3)", "t": "1-exp(-1/3)"}}),
        "b": ("start", {"to": {"h": "1-exp(-1/3)", "t": "exp(-1/3)"}}),
        **_ENDS,
    },
    [("a", "b")],
)
HALVES_ON = _chain(
    {
        "a": ("on", {"to": {"a": "exp(-1/2)", "h": "1-exp(-1/2)"}}),
        "b": ("on", {"to": {"b": "1-exp(-1/2)", "h": "exp(-1/2)"}}),
        "h": _ENDS["h"],
    },
    [("a", "b")],
)
BOXES = _chain(
    {
        "a": ("start", {"to": {"h": ["2/5", "1/2"], "t": ["1/2", "3/5"]}}),
        "b": ("start", {"to": {"h": ["1/5", "3/10"], "t": ["7/10", "4/5"]}}),
        **_ENDS,
    },
    [("a", "b")],
)
COUNTED = _chain(
    {
        "a": ("start", {"counts": {"h": 4021, "t": 5979}, "rest": 0}),
        "b": ("start", {"counts": {"h": 5102, "t": 4898}, "rest": 0}),
        **_ENDS,
    },
    [("a", "b")],
    confidence="99/100",
)
SILENT = _chain(
    {
        "a": ("start", {"to": {"c": "1/2", "h": "1/2"}}),
        "b": ("start", {"to": {"c": "1/3", "t": "2/3"}}),
        "c": ("", {"to": {"c": "1/4", "h": "1/4", "t": "1/2"}}),
        **_ENDS,
    },
    [("a", "b")],
)
PROBED = _chain(
    {
        "a": ("menu", {"on": {"probe": {"h": "exp(-1/2)", "t": "1-exp(-1/2)"}, "ask": {"h": "1/3", "t": "2/3"}}}),
        "b": ("menu", {"on": {"probe": {"h": "1-exp(-1/2)", "t": "exp(-1/2)"}, "ask": {"h": "1/2", "t": "1/2"}}}),
        **_ENDS,
    },
    [("a", "b")],
)
OPEN_COIN = _chain(
    {"a": ("start", {"to": {"h": "x", "t": "1-x"}}), "b": ("start", {"to": {"h": "1/2", "t": "1/2"}}), **_ENDS},
    [("a", "b")],
    parameter={"x": ["0", "1/2"]},
)


def _lines(*lines: Line) -> Questions:
    return [{"command": list(line)} for line in lines]


def _call(name: str, then: list[list[Any]] | None = None, **arguments: Any) -> dict[str, Any]:
    return {"call": name, "arguments": arguments} | ({} if then is None else {"then": then})


def further() -> Iterator[Model]:
    """Every model, in an order that never changes."""
    yield from finite()
    yield from endless()
    yield from asked_about()
    yield from functions()
    yield from enclosed()
    yield from uncertain()
    yield from many_secrets()
    yield from open_parameters()
    yield from families()
    yield from other_verbs()


EXACT: tuple[Line, ...] = (
    ("delta", *AT),
    ("delta", "--exp-epsilon", "3/2"),
    ("check", *AT, "--delta", "1/20"),
    ("check", *AT, "--delta", "1/3"),
    ("epsilon", "--delta", "0"),
    ("epsilon", "--delta", "1/20"),
    ("profile", *GRID, "--orders", "2,3/2", "--kl", "--zcdp", "--tradeoff-points"),
    ("guess",),
)
MORE: tuple[Line, ...] = (
    ("profile", "--epsilons", "0:1:1/4"),
    ("guess", "--guesses", "2", "--channel"),
    ("delta", "--repeat", "2", *AT),
    ("check", "--repeat", "3", *AT, "--delta", "1/3"),
    ("epsilon", "--repeat", "2", "--delta", "1/20"),
    ("profile", "--repeat", "3", *GRID, "--orders", "2", "--zcdp"),
    ("delta", "--compose", "example:coin", *AT),
    ("epsilon", "--compose", "example:coin", "example:survey", "--delta", "1/10"),
    ("distance", *AT),
    ("distance", "--kind", "ld", "--exp-epsilon", "3/2"),
    ("distance", "--kind", "sd", "--exp-epsilon", "3/2", "--quotient"),
    ("trace", "--length", "3", "--exp-epsilon", "3/2"),
    ("estimate", *AT, "--samples", "400", "--seed", "1"),
    ("report", *AT, "--delta", "1/20"),
)


def finite() -> Iterator[Model]:
    """Fractions, and beliefs that end."""
    for text in ("coin", "survey", "dining-cryptographers,n=2", "split-coin"):
        asked = _lines(*EXACT, *MORE)
        if text == "dining-cryptographers,n=2":
            asked += _lines(("profile",), ("report", "--exp-epsilon", "1.0002"), ("distance", *AT, "--all"))
        asked += calls()
        yield Model("fractions", text, asked, source=f"example:{text}")
    for text in ("crowds", "geometric", "rappor", "mix", "pin-checker", "noisy-max,clamp=8", "clamped-geometric"):
        asked = _lines(*EXACT)
        if text == "crowds":
            asked += _lines(("profile",), ("report", *AT), ("guess", "--channel"), ("check", *AT, "--delta", "0"))
        yield Model("fractions", text, asked, source=f"example:{text}")
    yield Model("fractions", "written", _lines(*EXACT, *MORE) + calls(), text=FRACTIONS)
    silent = [(*line, *hide) for line in EXACT for hide in (("--hide-unlabelled",),)]
    yield Model("fractions", "silent", _lines(*silent, ("delta", *AT, "--hide", "h"), ("delta", *AT)), text=SILENT)


def calls() -> Questions:
    """Of every function of Python that answers about a chain."""
    grid = ["0", "1/2", "1"]
    curve: list[list[Any]] = [
        ["delta", {"epsilon": "1/3"}],
        ["epsilon", {"delta": "1/20"}],
        ["renyi", {"order": "2"}],
        ["kl", {}],
        ["zcdp", {}],
        ["tradeoff", {}],
        ["losses_csv", {}],
        ["rdp", {"orders": ["2", "3"]}],
    ]
    return [
        _call("delta", epsilon="1/2"),
        _call("delta", exp_epsilon="3/2", max_nodes=2),
        _call("check", epsilon="1/2", delta="1/20"),
        _call("epsilon", delta="0"),
        _call("epsilon", delta="1/20", precision="1e-3"),
        _call("profile", curve, epsilons=grid),
        _call("profile", epsilons=grid, orders=["2"], kl=True, zcdp=True, tradeoff=True),
        _call("profile", curve[:2], epsilons=grid, repeat=2),
        _call("guess", channel=True),
        _call("distance", [["matrix", {}]], exp_epsilon="3/2"),
        _call("estimate", epsilon="1/2", samples=300, seed=2),
        _call("report", epsilon="1/2", delta="1/20", epsilons=grid),
        _call("sweep", epsilons=["0", "1/2"]),
    ]


def endless() -> Iterator[Model]:
    """Beliefs that go on for ever: bounds."""
    lines = (
        ("delta", *AT),
        ("check", *AT, "--delta", "1/20"),
        ("epsilon", "--delta", "0"),
        ("epsilon", "--delta", "1/20", *FEW_NODES),
        ("profile", *GRID, "--orders", "2", "--kl", "--zcdp", *FEW_NODES),
        ("guess", *FEW_NODES),
        ("delta", "--repeat", "2", *AT, *FEW_NODES),
        ("distance", "--exp-epsilon", "3/2"),
    )
    for text in ("sticky-sensor", "memoised-survey", "waiting-room"):
        asked = _lines(*lines)
        if text == "sticky-sensor":
            asked += _lines(
                ("estimate", *AT, "--max-nodes", "50", "--samples", "300", "--seed", "3"),
                ("report", *AT, "--epsilons", "0,1", *FEW_NODES),
                ("profile", *GRID, "--estimate", "--samples", "200", "--seed", "1", *FEW_NODES),
                ("delta", *AT, "--gap", "1/100"),
            )
            asked += [
                _call("profile", [["delta", {"epsilon": "1/3"}]], epsilons=["0", "1"], orders=["2"], max_nodes=100),
                _call("guess", max_nodes=100),
            ]
        yield Model("endless", text, asked, source=f"example:{text}")
    for name, chain in (
        ("correlated", correlated(Fraction(1, 3))),
        ("ahead", drawn_ahead(Fraction(3, 4), Fraction(1, 5))),
    ):
        yield Model("endless", name, _lines(*lines[:5]), text=native(chain))


def asked_about() -> Iterator[Model]:
    """The observer chooses inputs."""
    lines = (
        ("delta", *AT),
        ("delta", "--exp-epsilon", "3/2", "--fixed", "2"),
        ("check", *AT, "--delta", "1/20"),
        ("epsilon", "--delta", "0"),
        ("epsilon", "--delta", "1/20"),
        ("profile", *GRID),
        ("guess", "--fixed", "2"),
        ("distance", "--exp-epsilon", "3/2"),
    )
    for text in ("probe", "adaptive-survey", "query-budget", "lockout"):
        asked = _lines(*lines)
        if text == "probe":
            asked += _lines(("report", *AT, "--delta", "1/20"), ("trace", "--length", "2"), ("profile",))
            asked += [
                _call("delta", epsilon="1/2", fixed=1),
                _call("guess"),
                _call("profile", [["delta", {"epsilon": "1/3"}]], epsilons=["0", "1"]),
            ]
        yield Model("inputs", text, asked, source=f"example:{text}")
    yield Model("functions with inputs", "probed", _lines(*lines), text=PROBED)
    for name in ("asked", "asked_twice"):
        asked = _lines(*lines[:1], *lines[2:7])
        yield Model("functions with inputs", name, asked, source=f"{PROGRAMS}:{name}", secrets=BITS)


def functions() -> Iterator[Model]:
    """Functions of e: rows that are written, and real noise."""
    yield Model("functions", "thirds", _lines(*EXACT, *MORE) + calls(), text=THIRDS)
    yield Model(
        "functions",
        "halves",
        _lines(*EXACT[1:3], *EXACT[5:6], ("profile", "--epsilons", "0,1"), ("distance", *AT)),
        text=HALVES_ON,
    )
    for name in ("laplace", "clamped", "response,rounds=2", "exponential", "one_hot", "waiting", "parity"):
        asked = _lines(*EXACT)
        if name in ("laplace", "response,rounds=2"):
            asked += _lines(*MORE[:6], *MORE[8:10], *MORE[13:])
            asked += [_call("delta", epsilon="1"), _call("epsilon", delta="0"), _call("guess")]
        yield Model("functions", name, asked, source=f"{PROGRAMS}:{name}", secrets=BITS)


def enclosed() -> Iterator[Model]:
    """Numbers that are enclosed, and noise that is cut off."""
    for kind, names in (("enclosed", ("gaussian", "roots")), ("cut off", ("cut_off", "gaussian_cut_off"))):
        for name in names:
            asked = _lines(*EXACT, *MORE[8:9])
            if name in ("roots", "cut_off"):
                asked += _lines(
                    ("report", *AT, "--delta", "1/20", "--epsilons", "0,1"), ("profile", "--repeat", "2", *GRID)
                )
                asked += [_call("delta", epsilon="1"), _call("profile", epsilons=["0", "1"], orders=["2"])]
            yield Model(kind, name, asked, source=f"{PROGRAMS}:{name}", secrets=BITS)


def uncertain() -> Iterator[Model]:
    """Limits and counts: every chain within them."""
    lines = (
        ("delta", *AT),
        ("check", *AT, "--delta", "1/20"),
        ("check", "--exp-epsilon", "3/2", "--delta", "1/10"),
        ("check", *AT, "--delta", "1/2"),
        ("epsilon", "--delta", "1/20"),
        ("epsilon", "--delta", "0"),
        ("profile", *GRID),
        ("guess",),
        ("distance", "--exp-epsilon", "3/2"),
        ("report", *AT, "--delta", "1/20", "--epsilons", "0,1"),
    )
    asked_of = [
        _call("delta", epsilon="1/2"),
        _call("check", epsilon="1/2", delta="1/10"),
        _call("profile", epsilons=["0", "1"]),
    ]
    yield Model("limits", "boxes", _lines(*lines) + asked_of, text=BOXES)
    yield Model("counts", "counted", _lines(*lines) + asked_of, text=COUNTED)
    for kind in ("limits", "counts"):
        text = rewritten(FRACTIONS, Random(1), kind, OTHER_ROWS[kind])
        yield Model(kind, f"written, {kind}", _lines(*lines[:2], *lines[4:7]), text=text)
        text = rewritten(PROBED_FRACTIONS, Random(1), kind, OTHER_ROWS[kind])
        yield Model(f"{kind} with inputs", f"probed, {kind}", _lines(*lines[:2], *lines[4:7]), text=text)


PROBED_FRACTIONS = PROBED.replace("1-exp(-1/2)", "2/5").replace("exp(-1/2)", "3/5")


def many_secrets() -> Iterator[Model]:
    """Whole domains of secrets, with neighbours; pairs that are drawn; code that is run."""
    near = ("--neighbours", "abs(a.x - b.x) == 1")
    for name in ("laplace", "clamped"):
        lines: tuple[Line, ...] = (
            ("delta", *AT),
            ("delta", *AT, *near),
            ("check", "--epsilon", "1", "--delta", "0", *near),
            ("check", *AT, "--delta", "0"),
            ("check", *AT, "--delta", "0", "--sample", "2", "--seed", "1"),
            ("epsilon", "--delta", "0", *near),
            ("epsilon", "--delta", "1/20", *near),
            ("profile", "--epsilons", "0,1", *near, "--orders", "2"),
            ("guess",),
            ("distance", *AT),
            ("report", "--epsilon", "1", "--delta", "0", "--epsilons", "0,1", *near),
        )
        asked = _lines(*(lines if name == "clamped" else lines[:8]))
        yield Model("domain", name, asked, source=f"{PROGRAMS}:{name}", domain="x=range(4)")
    bug = "examples/bugs/opendp_2922.py:laplace_threshold"
    asked = _lines(
        ("check", "--epsilon", "1", "--delta", "1e-2", "--neighbours", "abs(a.count - b.count) == 1"),
        ("delta", "--epsilon", "1", "--neighbours", "abs(a.count - b.count) == 1"),
    )
    yield Model("domain", "opendp_2922", asked, source=bug, domain="count=range(3)")
    lines = (
        ("delta", *AT),
        ("check", *AT, "--delta", "1/20"),
        ("epsilon", "--delta", "0"),
        ("guess",),
        ("profile", *GRID),
    )
    run = [(*line, "--execute", "--isolate", "off") for line in lines]
    yield Model("code", "told", _lines(*run), source=f"{CODE}:told", secrets=BITS)
    yield Model("code", "counted", _lines(*run[:3]), source=f"{CODE}:counted", secrets=BITS)


def open_parameters() -> Iterator[Model]:
    """`parametric`: a file with formulas, and programs with a constant left open."""
    x = ("parametric", "--parameter", "x=0:1/2", "--exp-epsilon", "3/2")
    asked = _lines(x, (*x, "--delta", "1/8"), (*x, "--delta", "1/8", "--maximum"), (*x, "--delta", "1/2"))
    yield Model("parametric", "file", asked, text=OPEN_COIN)
    p = ("parametric", "--parameter", "p=1/2:1", "--exp-epsilon", "3")
    asked = _lines((*p, "--delta", "0"), (*p, "--delta", "1", "--maximum"), p, (*p, "--at", "exp(-1/10)"))
    asked += _lines(("parametric", "--parameter", "p=0:1", "--exp-epsilon", "1", "--delta", "1/20", "--maximum"))
    yield Model("parametric", "coin", asked, source=f"{PROGRAMS}:open_coin", secrets=BITS)
    u = ("parametric", "--parameter", "u=0:1", "--exp-epsilon")
    asked = _lines(
        (*u, "u^-4", "--delta", "0"), (*u, "u^-8", "--delta", "0"), (*u, "u^-2", "--delta", "0", "--at", "exp(-1/4)")
    )
    asked += _lines(
        ("calibrate", "--parameter", "u=1/10:9/10", "--step", "1/10", "--exp-epsilon", "4", "--delta", "1/50")
    )
    secrets: list[dict[str, object]] = [{"x": "(0, 1)"}, {"x": "(1, 0)"}]
    yield Model("parametric", "svt", asked, source=f"{PROGRAMS}:open_svt", secrets=secrets)
    p = ("parametric", "--parameter", "p=9/20:11/20", "--exp-epsilon", "1.0002")
    asked = _lines((*p, "--maximum"), (*p, "--delta", "0"))
    yield Model("parametric", "diners", asked, source=f"{PROGRAMS}:open_dining", secrets=BITS)


def families() -> Iterator[Model]:
    """`sweep` and `calibrate`."""
    here = ("--jobs", "1")
    p = ("--set", "p=3/5:9/10:1/10", *here)
    asked = _lines(
        ("sweep", *p, "--epsilons", "0,1/2"),
        ("sweep", *p, "--verb", "distance", "--kind", "sd", "--epsilons", "1/4"),
        ("sweep", *p, "--verb", "epsilon", "--delta", "0"),
        ("sweep", *p, "--verb", "epsilon", "--delta", "1/10"),
        ("sweep", *p, "--verb", "distance", "--epsilons", "0,1"),
        ("sweep", *p, "--verb", "distance", "--kind", "ld", "--epsilons", "0,1"),
        ("sweep", *p, "--verb", "estimate", "--epsilons", "1/2", "--samples", "200", "--seed", "1"),
        ("sweep", "--set", "p=1/2,3/2", *here, "--epsilons", "1"),
        ("calibrate", "--parameter", "p=51/100:99/100", "--step", "1/100", "--exp-epsilon", "3", "--delta", "1/20"),
        ("calibrate", "--parameter", "p=3/5,7/10,4/5", "--exp-epsilon", "3", "--delta", "1/20", "--all"),
        ("calibrate", "--parameter", "p=51/100:60/100", "--step", "1/100", "--exp-epsilon", "3", "--delta", "1/20"),
    )
    yield Model("families", "survey", asked, source="example:survey")
    scale = ("--parameter", "scale=1:8")
    asked = _lines(
        ("calibrate", *scale, "--epsilon", "1/2", "--delta", "0"),
        ("calibrate", *scale, "--epsilon", "1/2", "--delta", "1/100", "--accuracy", "abs(output - x) <= 3"),
        ("sweep", "--set", "scale=1,2,4", *here, "--epsilons", "1/2,1"),
        ("sweep", "--set", "scale=1,2", *here, "--verb", "epsilon", "--delta", "0"),
    )
    yield Model("families", "laplace", asked, source=f"{PROGRAMS}:laplace", secrets=BITS)
    yield Model(
        "families",
        "probe",
        _lines(("sweep", "--set", "moves=1,2", *here, "--epsilons", "0,1/2")),
        source="example:probe",
    )


def other_verbs() -> Iterator[Model]:
    """What brings no proof of its own: `threshold`, `run`, `info`, `trace`; and what is refused."""
    theta = ("threshold", "--exp-epsilon", "1.0002", "--theta")
    asked = _lines((*theta, "1/2500"), (*theta, "1/2500", "--strict"), (*theta, "1/2600"), (*theta, "1", "--reduced"))
    asked += [_call("threshold", theta="1/2500", exp_epsilon="1.0002")]
    yield Model("threshold", "dining", asked, source="example:dining-cryptographers,n=2")
    asked = _lines(
        ("info",),
        ("run", "--start", "s0", "--count", "3", "--seed", "1"),
        ("trace", "--length", "2", "--state", "s0"),
        ("trace", "--word", "start heads", "--exp-epsilon", "3/2"),
        ("delta", "--epsilon", "-1"),
        ("delta", *AT, "--pair", "s0", "nobody"),
        ("check", *AT, "--delta", "2"),
        ("epsilon", "--delta", "x"),
        ("guess", "--states", "s0"),
        ("distance", *AT, "--kind", "xd"),
        ("profile", "--epsilons", "1,0,a", "--orders", "1"),
        ("delta", *AT, "--no-check"),
        ("profile", *GRID, "--no-check"),
        ("delta", *AT, "--pair", "s0", "s1", "--pair", "s1", "s0"),
    )
    gain = {"a": {"s0": "1", "s1": "0"}, "b": {"s0": "0", "s1": "2"}}
    asked += [
        _call("trace", states=["s0", "s1"], event=[["start", "heads"]]),
        _call("delta", epsilon="-1"),
        _call("guess", states=["s0"]),
        _call("delta", epsilon="1/2", check=False),
        _call("guess", check=False, prior={"s0": "1/3", "s1": "2/3"}),
        _call("guess", prior={"s0": "1/3", "s1": "2/3"}, gain=gain),
    ]
    yield Model("other verbs", "coin", asked, source="example:coin")
    asked = _lines(("info",), ("run", "--count", "2", "--seed", "4"))
    yield Model("other verbs", "one laplace", asked, source=f"{PROGRAMS}:laplace", secrets=BITS[:1])
