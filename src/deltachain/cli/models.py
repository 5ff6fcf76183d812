"""``info``, ``convert``, ``examples``, ``verify`` and ``explore``: look at a model, translate it, check a proof."""

from __future__ import annotations

import inspect
import webbrowser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..cancel import Cancel
from ..errors import BackendMissing, CertificateRejected, Defect, InputError, MissingFile
from ..files import STANDARD, open_regular, to_standard_output
from ..loading import EXAMPLE, split_program
from ..model import AnyRow, Chain, LimitRow, Loaded, PointRow, bisimilarity, quotient, reachable, restrict
from ..model.chain import shown_entry
from ..numbers.fraction import format_fraction
from ..parameters import whole
from ..results.claims import rounded_claim
from ..results.numbers import at_confidence, decimal, json_number, json_trust, outward
from ..results.sections import Fields, Paragraph, Section, Table
from ..results.text import fields, listed, named, printable
from . import question as q
from .command import BRIEF, JSON, QUIET, VERBOSE, Exit, Reply, Session, Shown, Verb
from .options import Asked, positional, repeated, several, switch, text, value

if TYPE_CHECKING:
    from ..examples import Example

# info

SHOWN_TARGETS = 6
MINIMISED_TRANSITIONS = 30_000
"""Up to here counting bisimulation classes takes well under a second; beyond, it is done when asked for."""
LINE_LENGTH = 240
"""How much of a state's row is shown in text; --json has all of it."""
MOST_SHOWN = 10**9

MINIMISE = switch("--minimise", explained="count bisimulation classes, whatever the size of the model")
STATES = value("--states", "N", whole("states", 0, MOST_SHOWN), "how many states to show (default: 12)").default("12")


def _info(asked: Asked, session: Session) -> Reply:
    """The figures."""
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel)
        classes = _classes(asked, session, model.chain, cancel)
    line = f"{len(model.chain)} states, {model.chain.transitions} transitions" if asked[BRIEF] else ""
    limit = asked[STATES]
    body = _info_body(model, classes, limit) if asked[JSON] else {}
    return Reply(result=Shown(line, body, lambda: _info_sections(model, classes, limit)), model=model)


def _classes(asked: Asked, session: Session, chain: Chain, cancel: Cancel) -> int | None:
    """The number of bisimulation classes, or None where it was too much to count unasked."""
    if chain.transitions > MINIMISED_TRANSITIONS and not asked[MINIMISE]:
        session.note(f"above {MINIMISED_TRANSITIONS} transitions, bisimulation classes are counted with --minimise")
        return None
    return max(bisimilarity(chain, cancel)) + 1


def _info_body(model: Loaded, classes: int | None, limit: int) -> dict[str, Any]:
    chain = model.chain
    degrees = _degrees(chain)
    return {
        "alphabet": {label: len(states) for label, states in sorted(chain.by_label.items())},
        "inputs": {label: list(names) for label, names in sorted(chain.inputs.items())},
        "degree": {
            "least": min(degrees),
            "mean": json_number(Fraction(sum(degrees), len(degrees))),
            "greatest": max(degrees),
        },
        "absorbing": _absorbing(chain),
        "greatest_denominator": format_fraction(_greatest_denominator(chain)),
        "classes": classes,
        "relation": [list(pair) for pair in chain.pairs],
        "reachable_from_relation": _reached(chain),
        "states": [_state(chain, state) for state in range(min(limit, len(chain)))],
        "notes": list(model.notes),
    }


def _state(chain: Chain, state: int) -> dict[str, Any]:
    """A state as the native format has it: ``to``, or, where it waits for an input, ``on``."""
    boxes = (row.box for row in chain.given[state])
    rows = [{chain.states[j]: _entry(*(format_fraction(end) for end in ends)) for j, *ends in row} for row in boxes]
    names = chain.inputs.get(chain.labels[state])
    where: dict[str, Any] = {"to": rows[0]} if names is None else {"on": dict(zip(names, rows, strict=True))}
    values = chain.valuations[state] if chain.valuations else {}
    known = {"valuation": dict(values)} if values else {}
    return {"name": chain.states[state], "label": chain.labels[state], **where, **known}


def _entry(low: str, high: str) -> str | list[str]:
    """A probability, or the two ends of a box."""
    return low if low == high else [low, high]


def _degrees(chain: Chain) -> list[int]:
    return [len(row) for rows in chain.given for row in rows]


def _info_sections(model: Loaded, classes: int | None, limit: int) -> list[Section]:
    chain = model.chain
    degrees = _degrees(chain)
    labels = [f"{label or '(empty)'} ({len(states)})" for label, states in sorted(chain.by_label.items())]
    pairs = [named(pair) for pair in chain.pairs]
    rows = [
        ("model", model.source),
        ("states", str(len(chain))),
        ("transitions", str(chain.transitions)),
        ("labels", f"{len(labels)}: {listed(labels)}"),
        ("out-degree", f"{min(degrees)} to {max(degrees)}, mean {decimal(Fraction(sum(degrees), len(degrees)), 4)}"),
        ("absorbing states", str(_absorbing(chain))),
        ("denominators", f"up to {decimal(_greatest_denominator(chain), 4)}"),
        ("bisimulation classes", "not counted" if classes is None else str(classes)),
        ("relation", f"{len(pairs)}: {listed(pairs)}" if pairs else "none"),
        ("sha256", chain.sha256),
    ]
    if not chain.rational:
        rows.insert(4, ("rows", _uncertain(chain)))
    if chain.interactive:
        rows.insert(4, ("inputs", _offered(chain)))
    reached = _reached(chain)
    if reached is not None:
        rows.insert(-1, ("reachable from it", f"{reached} states"))
    lines = [_cut(line) for line in _states(chain, limit)] if limit else []
    return [Paragraph("\n".join([fields(rows), *lines]))]


KINDS = {
    "functions": "enclose known numbers",
    "balls": "enclose known numbers",
    "limits": "are known within limits",
    "counts": "come from counts",
}


def _kind_of(row: AnyRow) -> str:
    if isinstance(row, LimitRow):
        return "counts" if row.counted else "limits"
    return "balls"


def _uncertain(chain: Chain) -> str:
    """What is uncertain: how many rows, of which kind, how wide, what may go elsewhere, at which confidence."""
    found = [
        row for rows in chain.given for row in rows if not (isinstance(row, PointRow) and row.fractions is not None)
    ]
    boxes = [row.box for row in found]
    total = sum(map(len, chain.given))
    kinds = Counter(map(_kind_of, found))
    parts = [f"{count} of {total} {KINDS[kind]}" for kind, count in sorted(kinds.items())]
    if chain.base is not None:
        parts.append(f"exact in powers of e^(1/{chain.base})" if chain.base > 1 else "exact in powers of e")
    width = max((hi - lo for row in boxes for _, lo, hi in row), default=Fraction(0))
    parts.append(f"up to {outward(width, 'upper')} wide")
    if rest := max(row.rest for row in boxes):
        parts.append(f"up to {outward(rest, 'upper')} goes to states outside the model")
    if chain.confidence is not None:
        parts.append(f"with confidence {format_fraction(chain.confidence)}")
    return "; ".join(parts)


def _offered(chain: Chain) -> str:
    """What may be chosen at which labels."""
    labels: dict[tuple[str, ...], list[str]] = {}
    for label, names in sorted(chain.inputs.items()):
        labels.setdefault(names, []).append(label or "(empty)")
    offers = [f"{listed(list(names))} at {listed(found)}" for names, found in labels.items()]
    return "; ".join(offers[:SHOWN_TARGETS]) + ("; …" if len(offers) > SHOWN_TARGETS else "")


def _states(chain: Chain, limit: int) -> list[str]:
    """The first states with label and row, each on one line, or one line per input."""
    names = list(map(printable, chain.states))
    lines = []
    for state, rows in enumerate(chain.given[:limit]):
        for name, row in zip(chain.offered(state), (row.box for row in rows), strict=True):
            targets = ", ".join(f"{names[j]}: {shown_entry(lo, hi)}" for j, lo, hi in row.entries[:SHOWN_TARGETS])
            more = f", … ({len(row)} in all)" if len(row) > SHOWN_TARGETS else ""
            more += f", elsewhere: up to {outward(row.rest, 'upper')}" if row.rest else ""
            asked = "" if name is None else f" {printable(name)}"
            lines.append(f"  {names[state]} [{printable(chain.labels[state])}]{asked} → {targets}{more}")
        values = chain.valuations[state] if chain.valuations else {}
        shown = [f"{printable(name)}={printable(str(value))}" for name, value in values.items()]
        if not all(part in names[state] for part in shown):
            lines.append("      " + ", ".join(shown))
    if len(chain) > limit:
        lines.append(f"  … and {len(chain) - limit} more states")
    return lines


def _cut(line: str) -> str:
    """The line, if it can be read; else as many of its transitions as can be."""
    if len(line) <= LINE_LENGTH:
        return line
    kept = line[:LINE_LENGTH].rpartition(", ")[0] or line[:LINE_LENGTH]
    return f"{kept}, …{line[line.rindex(' (') :] if line.endswith(' in all)') else ''}"


def _absorbing(chain: Chain) -> int:
    """How many states are never left, whatever is given there."""
    return sum(all(row == PointRow(((state, Fraction(1)),)) for row in rows) for state, rows in enumerate(chain.given))


def _greatest_denominator(chain: Chain) -> int:
    return max(end.denominator for rows in chain.given for row in rows for _, *ends in row.box for end in ends)


def _reached(chain: Chain) -> int | None:
    """How many states the pairs of the relation can reach, these included; None without a relation."""
    return len(reachable(chain, (state for pair in chain.relation for state in pair))) if chain.relation else None


INFO = Verb(
    "info",
    "Show the size and shape of a model.",
    """
deltachain info example:coin
deltachain info model.tra --normalise
deltachain info model.json --states 100 --json
""",
    (*q.MODEL_OPTIONS, MINIMISE, STATES),
    _info,
)

# convert

OUTPUT_FILE = positional("OUT", "the file to write; its suffix names the format; -: standard output")
FORMAT_TO = text("--to", "FORMAT", "the format to write, if the suffix of OUT does not tell")
REACHABLE = several("--reachable", "S", "keep only the states that these can reach")
CHOOSE = several("--choose", "LABEL=INPUT", "fix the input that is given at this label")
MERGE = switch("--quotient", explained="merge bisimilar states")
FORCE = switch("--force", explained="overwrite OUT")


def _convert(asked: Asked, session: Session) -> Reply:
    """Write the model, and say what was written."""
    output: str = asked[OUTPUT_FILE]
    if output == STANDARD and asked[JSON]:
        raise InputError(Defect("--json", "the model itself goes to standard output", "give a file for OUT"))
    if not asked[FORCE]:
        _refuse_overwriting(asked)
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel)
        chain = model.chain
        if asked[CHOOSE]:
            chain = chain.choosing(_choices(asked[CHOOSE], chain))
        if asked[REACHABLE]:
            chain = restrict(chain, q.states_named(chain, asked[REACHABLE], "--reachable"))
        if asked[MERGE]:
            chain = quotient(chain, cancel=cancel).chain
        from ..formats import holds_relation, save

        save(chain, output, format=asked[FORMAT_TO])
    if chain.relation and not holds_relation(chain, output, asked[FORMAT_TO]):
        session.note(f"{output}: this format holds no relation; pairs left out: {len(chain.relation)}")
    written = {"states": len(chain), "transitions": chain.transitions, "sha256": chain.sha256}
    body = {"output": output, "format": _format(asked), "written": written}
    line = printable(f"{output}: {len(chain)} states, {chain.transitions} transitions")
    silent = not asked[JSON] and (asked[QUIET] or output == STANDARD)
    return Reply(result=Shown(line, body), model=model, silent=silent)


def _choices(texts: Iterable[str], chain: Chain) -> dict[str, str]:
    """Label → input, from LABEL=INPUT; a label may have signs of equality in it. InputError with every defect."""
    found: dict[str, str] = {}
    defects = []
    for given in texts:
        splits = [(given[:i], given[i + 1 :]) for i, sign in enumerate(given) if sign == "="]
        label, name = next((s for s in splits if s[0] in chain.inputs), splits[0] if splits else ("", ""))
        if not splits:
            defects.append(Defect("--choose", f"{given!r} is not LABEL=INPUT", "write start=q1"))
        elif found.setdefault(label, name) != name:
            defects.append(Defect("--choose", f"two inputs for the label {label!r}", "keep one of them"))
    if defects:
        raise InputError(defects)
    return found


def _format(asked: Asked) -> str:
    chosen = asked[FORMAT_TO]
    return (Path(asked[OUTPUT_FILE]).suffix if chosen is None else chosen).removeprefix(".").lower()


def _refuse_overwriting(asked: Asked) -> None:
    """InputError naming every file of the output that exists; devices and pipes may be written."""
    output = Path(asked[OUTPUT_FILE])
    files = [output]
    if _format(asked) == "tra" and output.name:
        files += [output.with_suffix(".lab"), output.with_suffix(".sta")]
    defects = [Defect(str(path), "it exists", "overwrite it with --force") for path in files if path.is_file()]
    if defects:
        raise InputError(defects)


CONVERT = Verb(
    "convert",
    "Translate a model into another format, exactly.",
    """
deltachain convert model.tra model.json --normalise
deltachain convert example:dining-cryptographers,n=3 diners.drn
deltachain convert model.json small.json --quotient --reachable s0 s1
deltachain convert example:coin - --to dot
deltachain convert example:probe plan.json --choose start=q1 yes=q1 no=q1
""",
    (q.MODEL, OUTPUT_FILE, *q.READ, FORMAT_TO, REACHABLE, CHOOSE, MERGE, FORCE),
    _convert,
)

# examples

NAME = positional("NAME", "show this one in detail", optional=True)


def _examples(asked: Asked, _session: Session) -> Reply:
    """The catalogue, or one entry of it."""
    from ..examples import catalogue

    zoo = catalogue()
    name: str | None = asked[NAME]
    if name is not None:
        zoo = (_chosen(zoo, name.removeprefix("example:").partition(",")[0]),)
    entries = [{"name": e.name, "parameters": dict(e.parameters), "summary": e.summary} for e in zoo]
    sections: list[Section]
    if name is None:
        rows = [[e.name, ",".join(f"{key}={given}" for key, given in e.parameters), e.summary] for e in zoo]
        line = "\n".join(e.name for e in zoo) if asked[BRIEF] else ""
        sections = [Table(("example", "parameters and defaults", "what it models"), rows)]
    else:
        line, sections = f"{zoo[0].name}: {zoo[0].summary}", _described(zoo[0])
    return Reply(result=Shown(line, {"examples": entries}, lambda: sections))


def _chosen(zoo: tuple[Example, ...], name: str) -> Example:
    for example in zoo:
        if example.name == name:
            return example
    raise InputError(Defect(f"example {name!r}", "there is none", f"examples are {', '.join(e.name for e in zoo)}"))


def _described(example: Example) -> list[Section]:
    """Its parameters, what its builder says of it, and its size as it comes."""
    chain = example.build()
    settings = ",".join(f"{key}={given}" for key, given in example.parameters)
    asked = len({name for names in chain.inputs.values() for name in names})
    inputs = f", {asked} inputs" if asked else ""
    rows = [
        ("as it comes", f"example:{example.name}" + (f",{settings}" if settings else "")),
        ("size", f"{len(chain)} states, {chain.transitions} transitions, {len(chain.alphabet)} labels{inputs}"),
        ("try", f"deltachain delta example:{example.name} --epsilon 0.1"),
    ]
    described = inspect.getdoc(example.build) or ""
    return [Fields(rows), Paragraph(described.partition("\n>>>")[0].strip())]


EXAMPLES = Verb(
    "examples",
    "List the example models and their parameters.",
    """
deltachain examples
deltachain examples dining-cryptographers
deltachain info example:dining-cryptographers,n=3,p=49/100
""",
    (NAME,),
    _examples,
)

# verify

CERT = positional("CERT", "the certificate, as --certificate wrote it")
FORMAL = switch("--formal", explained="use the checker extracted from the Coq proofs (make formal builds it)")


def _verify(asked: Asked, session: Session) -> Reply:
    """What is proved; 4 when the certificate is rejected."""
    path: str = asked[CERT]
    _refuse_other_than_files(Path(path))
    hides = any(asked[option] for option in q.SILENT)
    with session.work() as cancel:
        model = q.load_model(asked, session, cancel, starts=_claimed_states(path) if hides else ())
    from ..certificate.verification import claimed_pairs, require_claimed, verify_certificate

    compared = asked[q.SECRETS] is not None or asked[q.NEIGHBOURS] is not None
    rejection: dict[str, Any] = {}
    claims: list[str] = []
    try:
        claims = verify_certificate(model.chain, path, formal=asked[FORMAL])
        if compared:
            require_claimed(model.chain, path)
    except CertificateRejected as reason:
        if not asked[JSON]:
            if reason.claim == "model":
                session.note("it was made for another model, or for other values of --constants or --secret")
            raise
        sides = {"left": _side(reason.left), "right": _side(reason.right)}
        rejection = {"rejection": {"claim": reason.claim, "rule": reason.rule, **sides}}
    checker = "formal" if asked[FORMAL] else "python"
    body = {"accepted": not rejection, "checker": checker, "claims": claims, **rejection}
    proved = "proved, says the checker extracted from Coq" if asked[FORMAL] else "proved"
    chain = model.chain
    body |= json_trust(chain.kind == "limits", chain.confidence)
    pairs = 0 if rejection else len(claimed_pairs(path))
    body["domain"] = {"pairs": pairs, "compared": compared and not rejection}
    if chain.confidence is not None:
        proved += f" {at_confidence(chain.confidence)}"
    if chain.kind == "limits":
        proved += ", for every chain within the limits given"
    told = claims if asked[VERBOSE] else map(rounded_claim, claims)
    lines = [f"{proved}: {printable(claim)}" for claim in told] or ["accepted; it claims nothing"]
    if compared:
        which = "pairs of the domain" if asked[q.SAMPLE] is None else "pairs drawn"
        lines.append(f"all {len(chain.relation):,} {which} are claimed")
    elif model.secrets is not None and pairs > 1:
        lines.append(f"{pairs:,} pairs claimed; domain not compared (give --secrets and --neighbours)")
    line = f"accepted; it proves {len(claims)} claims" if asked[BRIEF] and len(lines) > 1 else "\n".join(lines)
    code = Exit.REJECTED if rejection else Exit.DONE
    return Reply(result=Shown(line, body), code=code, model=model)


def _claimed_states(certificate: str) -> list[str]:
    """The states that the claims are about, which stay when others are hidden; what is malformed is rejected later."""
    from ..checker.read import read_file

    try:
        found = read_file(certificate)
        pairs = [claim["pair"] for claim in found["claims"]]
        return [name for pair in pairs for name in pair if type(name) is str]
    except (CertificateRejected, KeyError, TypeError, AttributeError):
        return []


def _refuse_other_than_files(path: Path) -> None:
    """InputError unless there is a file to read: a device or a pipe could keep the checker waiting for ever."""
    if path.is_file():
        return
    if not path.exists():
        raise MissingFile(str(path), "give the file that --certificate wrote")
    what = "it is a directory" if path.is_dir() else "it is not a file"
    raise InputError(Defect(str(path), what, "give the file that --certificate wrote"))


def _side(side: object) -> str | None:
    """One side of the comparison that fails; long ones are cut."""
    if side is None:
        return None
    try:
        shown = str(side)
    except ValueError:  # an integer beyond the interpreter's limit on digits
        return "a number of thousands of digits"
    return shown if len(shown) <= 1000 else f"{shown[:997]}…"


VERIFY = Verb(
    "verify",
    "Check a certificate against a model, exactly, with a checker that is independent of the solvers.",
    """
deltachain delta example:coin --exp-epsilon 1 --certificate proof.json
deltachain verify example:coin proof.json
deltachain verify model.tra proof.json --json
""",
    (q.MODEL, CERT, *q.READ, q.NEIGHBOURS, q.SAMPLE, q.SEED, FORMAL),
    _verify,
    (q.refuse_execute,),
)

# explore

LARGEST_PORT = 65_535
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - refused
LARGEST = 500_000

BEGIN = "what to start with: example:NAME,key=value,…, a native .json file, or protocol.py:NAME"
PAGE_MODEL = positional("MODEL", BEGIN, optional=True)
PAGE_SECRET = repeated("--secret", "X=0", "a secret: values that the program starts from; repeat for each secret")
LISTEN = "the port to listen on (default: 0, a free one)"
PORT = value("--port", "P", whole("port", 0, LARGEST_PORT), LISTEN).default("0")
HOST = text("--host", "ADDRESS", "the address to listen on (default: this machine alone)").default(LOOPBACK)
NO_BROWSER = switch("--no-browser", explained="print the address, but do not open a browser")


def _explore(asked: Asked, session: Session) -> Reply:
    """Serve until Ctrl-C."""
    host, begin = asked[HOST], _begin(asked[PAGE_MODEL] or "example:survey", asked[PAGE_SECRET])
    try:
        from ..web.server import serve
    except ImportError as error:
        raise BackendMissing(error.name or "starlette", "web") from None
    if host != LOOPBACK:
        session.note(f"listening on {host}: anyone with the address and its token can compute on this machine")

    def ready(address: str) -> None:
        with to_standard_output():
            print(address, flush=True)
        session.note("press Ctrl-C to stop")
        if not asked[NO_BROWSER]:
            webbrowser.open(address)

    serve(host, asked[PORT], begin, ready)
    return Reply(result=Shown("", {}), silent=True)


def _check_host(asked: Asked) -> Iterator[Defect]:
    if asked[HOST] in EVERYWHERE:
        fix = "name the one that others reach this machine by: requests that name another are refused"
        yield Defect("--host", f"{asked[HOST]} stands for every address", fix)


EXPLORE = Verb(
    "explore",
    "Open a local page with the zoo, an editor, and live reports.",
    """
deltachain explore
deltachain explore example:dining-cryptographers,n=4 --port 8765 --no-browser
deltachain explore model.json
deltachain explore protocol.py:NAME --secret x=0 --secret x=1
""",
    (PAGE_MODEL, PAGE_SECRET, q.EXECUTE, PORT, HOST, NO_BROWSER),
    _explore,
    (_check_host, q.refuse_execute),
    (QUIET, VERBOSE),
)


def _begin(model: str, secrets: Sequence[str]) -> dict[str, str]:
    """The fields that the page begins with."""
    file, colon, name = ("", "", "") if model.startswith(EXAMPLE) else split_program(model)
    if colon or model.endswith(".py"):
        name, _, constants = name.partition(",")
        given = {"name": name, "constants": constants} if colon else {}
        return {"kind": "program", "text": _read(file), **given, "secrets": "\n".join(secrets)}
    if secrets:
        raise InputError(Defect("--secret", "only a program starts from secrets", "leave it out"))
    if model.startswith(EXAMPLE):
        return {"kind": "example", "text": model.removeprefix(EXAMPLE)}
    if not model.endswith(".json"):
        fix = "translate it first: deltachain convert MODEL model.json"
        raise InputError(Defect(model, "the explorer starts with an example, a .json file or a program", fix))
    return {"kind": "model", "text": _read(model)}


def _read(path: str) -> str:
    with open_regular(Path(path), LARGEST) as file:
        return file.read().decode("utf-8", "replace")
