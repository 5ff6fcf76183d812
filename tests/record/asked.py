"""What a command prints and a call returns, as plain data, with every proof that can be had; the checker reads them.

How a proof is asked for stands in `PROOFS` and in `_asking_for_proof`, and nowhere else: the questions of the record do
not say it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import deltachain as dc
from deltachain.certificate.record import Certificate
from deltachain.cli.command import main
from deltachain.errors import BackendMissing, CertificateRejected, DeltachainError

ROOT = Path(__file__).parent.parent.parent
PROOFS: Mapping[str, Sequence[str]] = {
    "delta": ("--certificate", "proof.json"),
    "check": ("--certificate", "proof.json"),
    "epsilon": ("--certificate", "proof.json"),
    "guess": ("--certificate", "proof.json"),
    "distance": ("--certificate", "proof.json"),
    "parametric": ("--certificate", "proof.json"),
    "threshold": ("--certificate", "proof.json"),
    "profile": ("--certificates", "proofs"),
}
"""How the command line is asked to write the proofs of a verb."""
WITHOUT_PROOF = {"--repeat", "--compose", "--no-check", "--strict"}
"""What is asked with these has no certificate, or it is not asked for."""
PAGES = {"report": ("--out", "page.html")}
FILES = {"--channel": "channel.csv", "--tradeoff-points": "corners.csv"}
"""Options whose file is not named in a question."""
OF_MODELS = ("--hide", "--isolate")
OF_PAIRS = ("--neighbours", "--sample", "--seed")
SWITCHES = ("--hide-unlabelled", "--execute")
LEFT_OUT = {"seconds", "version", "report"}
"""Keys of a document that say nothing of an answer: times, releases, the bytes of a page."""
NO_EXTRA, REJECTED = 6, 4
MOST_ITEMS, MOST_TEXT = 40, 600

Answer = dict[str, Any]
Row = Mapping[str, Any]


def answered(row: Row, question: Mapping[str, Any], folder: Path, keep: Callable[[Path], None] | None = None) -> Answer:
    """What a command or a call of this tree answers; ``keep`` is given every file of a proof."""
    if "command" in question:
        return _command(row, question["command"], folder, keep)
    return _call(row, question, folder)


class Rejected(Exception):
    """`verify` does not accept a certificate that this tree has just written."""


# Commands.


def model_arguments(row: Row, folder: Path) -> tuple[str, list[str]]:
    """The model of a row on the command line, and its options."""
    options = [
        part for secret in row.get("secrets", ()) for n, v in secret.items() for part in ("--secret", f"{n}={v}")
    ]
    if "domain" in row:
        options += ["--secrets", row["domain"]]
    if "text" in row:
        path = folder / "model.json"
        path.write_text(row["text"], encoding="utf-8")
        return str(path), options
    return row["source"], options


def run(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, which is run in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with (
        contextlib.chdir(ROOT),
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8")),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        code = int(main(arguments))
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return code, out, err


def _command(row: Row, line: Sequence[str], folder: Path, keep: Callable[[Path], None] | None) -> Answer:
    model, options = model_arguments(row, folder)
    verb, *rest = line
    named = [part for word in rest for part in ((word, str(folder / FILES[word])) if word in FILES else (word,))]
    page = [PAGES[verb][0], str(folder / PAGES[verb][1])] if verb in PAGES else []
    code, out, err = run([verb, model, *options, *named, *page, "--json", "-q"])
    if code == NO_EXTRA:
        return {"missing": err.strip()}
    said = out.replace(f"{folder}/", "")
    answer: Answer = {"exit": code}
    try:
        answer["document"] = trimmed(json.loads(said))
    except ValueError:
        answer["rows"] = [trimmed(json.loads(text)) for text in said.splitlines() if text.startswith("{")]
    if verb in PROOFS and not WITHOUT_PROOF & set(line) and code not in (2, 5):
        option, name = PROOFS[verb]
        again, _, why = run([verb, model, *options, *named, option, str(folder / name), "--json"])
        passed_on = [*options, *of_model(rest, "verify")]
        found = [proved(model, path, passed_on, keep) for path in _proofs(folder / name)]
        answer["proofs"] = found
        if again != code:
            answer["proofs_exit"] = again
        if not found:
            answer["no_proof"] = short(why.strip().replace(f"{folder}/", ""))
    for file in FILES.values():
        if (folder / file).exists():
            answer[file] = short((folder / file).read_text("utf-8"))
            (folder / file).unlink()
    return answer


def of_model(line: Sequence[str], verb: str) -> list[str]:
    """The options of a line that say what the model is, or for ``verify`` also which of its pairs are compared."""
    valued = (*OF_MODELS, *(OF_PAIRS if verb == "verify" else ()))
    taken = [word for word in line if word in SWITCHES]
    return taken + [part for one, other in pairwise(line) if one in valued for part in (one, other)]


def _proofs(place: Path) -> Iterator[Path]:
    """Certificates that were written; they are removed afterwards."""
    for path in sorted(place.glob("*.json")) if place.is_dir() else [place] if place.exists() else []:
        yield path
        path.unlink()


def proved(model: str, proof: Path, options: Sequence[str], keep: Callable[[Path], None] | None) -> Answer:
    """What `verify` says of a certificate. Raises Rejected."""
    code, out, err = run(["verify", model, str(proof), *options, "--json", "-q"])
    more: Answer = {}
    if code == REJECTED and "--secrets" in options:
        # It may be about fewer pairs than the whole domain has; what it proves of the chain is asked for then.
        more = {"of_domain": short(err.strip() or out)}
        whole = proof.parent / "domain.json"
        run(["convert", model, str(whole), *options, "--force", "-q"])
        code, out, err = run(["verify", str(whole), str(proof), "--json", "-q"])
    if code == REJECTED:
        raise Rejected(err.strip() or out)
    document = json.loads(out)
    if keep is not None and code == 0:
        keep(proof)
    digest = hashlib.sha256(proof.read_bytes()).hexdigest()[:16]
    found = document.get("claims", document.get("error"))
    sentences = [part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in found]
    return {"sha256": digest, "claims": [short(each) for each in sentences[:MOST_ITEMS]], "count": len(found)} | more


def trimmed(document: Any) -> Any:
    """The document without what says nothing of the answer."""
    if isinstance(document, dict):
        return {key: trimmed(part) for key, part in document.items() if key not in LEFT_OUT}
    if isinstance(document, list):
        found = [trimmed(part) for part in document]
        return found if len(found) <= MOST_ITEMS else [*found[:MOST_ITEMS], f"{len(found)} in all"]
    return short(document) if isinstance(document, str) else document


def short(text: str) -> str:
    """The text, or the start of a long one and the hash of all of it."""
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:60]} … {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"


# Calls.


def _call(row: Row, question: Mapping[str, Any], folder: Path) -> Answer:
    verb, arguments = question["call"], dict(question["arguments"])
    source, _ = model_arguments(row, folder)
    settings: dict[str, Any] = {"secrets": row["secrets"]} if "secrets" in row else {}
    with contextlib.chdir(ROOT):
        try:
            chain = dc.load(source, **settings)
            found = getattr(dc, verb)(chain, **arguments, **_asking_for_proof(verb, arguments))
        except BackendMissing as reason:
            return {"missing": str(reason)}
        except CertificateRejected:
            raise
        except DeltachainError as reason:
            return {"refused": str(reason).replace(f"{folder}/", "")}
        answer = {"values": values_of(found, chain), "repr": short(repr(found))}
        if hasattr(found, "to_dict"):
            answer["document"] = trimmed(plain(found.to_dict(), chain))
        if "then" in question:
            answer["then"] = [_asked_of(found, name, given, chain) for name, given in question["then"]]
    return answer


def _asking_for_proof(verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What makes a result carry its proof, where it must be asked for."""
    composed = {"repeat", "compose"} & set(arguments) or arguments.get("check") is False
    return {"certificate": True} if verb in ("epsilon", "guess") and not composed else {}


def _asked_of(found: Any, name: str, given: Mapping[str, Any], chain: dc.Chain) -> Any:
    try:
        value = getattr(found, name)(**given)
    except DeltachainError as reason:
        return {"refused": str(reason)}
    return plain(value, chain)


def values_of(found: Any, chain: dc.Chain, depth: int = 0) -> dict[str, Any]:
    """Every public attribute of a result, by name; but for those that warn that they will go."""
    kind = type(found)
    names = {name for name in dir(kind) if isinstance(getattr(kind, name, None), property | cached_property)}
    if is_dataclass(found):
        names |= {field.name for field in fields(found)}
    public = sorted(name for name in names if not name.startswith("_") and name not in UNTOLD)
    values = {}
    for name in public:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)
                value = getattr(found, name)
            values[name] = plain(value, chain, depth + 1)
        except DeprecationWarning:
            continue
        except (DeltachainError, ValueError, AttributeError, TypeError) as reason:
            values[name] = {"refused": f"{type(reason).__name__}: {reason}"}
    return values


UNTOLD = {"html", "size", "sha256", "states", "labels", "seconds", "reversed"}
"""Attributes that say nothing of an answer, or the same again."""
MOST_DEPTH = 3


def plain(value: Any, chain: dc.Chain, depth: int = 0) -> Any:
    """A value as JSON has it: numbers by their exact text, certificates by what they prove."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return short(value)
    if isinstance(value, Fraction) or type(value).__name__ in ("Exponential", "Real"):
        return {"exact": str(value)}
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Certificate):
        return proof_of(value, chain)
    if isinstance(value, dc.Chain):
        return {"sha256": value.sha256[:16]}
    if isinstance(value, Mapping):
        return {str(key): plain(part, chain, depth) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes) and (depth <= MOST_DEPTH or not value):
        found = [plain(part, chain, depth) for part in value[:MOST_ITEMS]]
        return found if len(value) <= MOST_ITEMS else [*found, f"{len(value)} in all"]
    if is_dataclass(value) and depth <= MOST_DEPTH:
        return values_of(value, chain, depth)
    return short(re.sub(r" at 0x[0-9a-f]+", "", repr(value)))


def proof_of(certificate: Certificate, chain: dc.Chain) -> Answer:
    """What a certificate proves, as the checker reads it. Raises CertificateRejected."""
    claims = [str(claim) for claim in dc.verify(chain, certificate)]
    digest = hashlib.sha256("".join(certificate.chunks()).encode()).hexdigest()[:16]
    return {"sha256": digest, "claims": [short(each) for each in claims[:MOST_ITEMS]], "count": len(claims)}
