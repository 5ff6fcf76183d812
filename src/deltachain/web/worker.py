"""One computation in a process of its own: a question on standard input, JSON lines on standard output.

``{"progress": text}`` while it works, then ``{"result": …}`` or ``{"error": [{"where", "what", "fix", "line"}, …]}``. A
second line on standard input asks it to stop with what is proved by then. The text of a model is written to a file of a
private folder and read from there, as the command line reads files; nothing of it is run.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from ..analysis import report
from ..cancel import Cancel
from ..errors import Defect, DeltachainError, InputError
from ..model import Chain
from ..render.report_words import VERDICTS
from .questions import Question

SECONDS = 60.0
"""After this long a search ends with what it has."""
MOST_STATES = 200_000
LARGEST_SHOWN = 2_000
"""States of an example that is shown for editing."""
LINE = re.compile(r"(?:line |:)(\d+)")


def main() -> None:
    """Answer the question of standard input."""
    question = Question(**json.loads(sys.stdin.readline()))
    cancel = Cancel(SECONDS, lambda text: _say({"progress": text}))
    threading.Thread(target=_listen, args=(cancel,), daemon=True).start()
    try:
        _say({"result": answered(question, cancel)})
    except InputError as error:
        _say({"error": [_told(defect) for defect in error.defects]})
    except DeltachainError as error:
        _say({"error": [_told(Defect("", str(error)))]})
    except (MemoryError, RecursionError):
        _say({"error": [_told(Defect("", "the model is too large for the explorer", "use the command line"))]})


def _listen(cancel: Cancel) -> None:
    if sys.stdin.readline():
        cancel.interrupt()


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _told(defect: Defect) -> dict[str, Any]:
    found = LINE.search(defect.where)
    return {
        "where": Path(defect.where).name if "/" in defect.where else defect.where,
        "what": defect.what,
        "fix": defect.fix,
        "line": int(found[1]) if found else None,
    }


def answered(question: Question, cancel: Cancel) -> dict[str, Any]:
    """The model as text, or the report with what may be saved; InputError for a model that is none."""
    cancel.report("reading the model")
    with tempfile.TemporaryDirectory() as folder:
        chain, source = _chain(question, Path(folder), cancel)
        if question.action == "show":
            return {"text": _shown(chain, Path(folder))}
    page = report(
        chain,
        pairs=_pairs(question, chain),
        epsilon=question.epsilon,
        delta=question.delta.strip() or None,
        max_nodes=_whole(question.max_nodes),
        source=source,
        cancel=cancel,
    )
    verdict = getattr(page.found, "verdict", None)
    return {
        "html": page.html,
        "certificate": "".join(page.found.certificate.chunks()),
        "csv": page.profile.csv(),
        "headline": VERDICTS[verdict],
        "stopped": cancel.reason,
    }


def _chain(question: Question, folder: Path, cancel: Cancel) -> tuple[Chain, str]:
    if question.kind == "example":
        from .. import examples

        spec = question.text.removeprefix("example:").strip()
        return examples.build(spec), f"example:{spec}"
    if question.kind == "model":
        from ..formats import load_with_notes

        path = folder / "model.json"
        path.write_text(question.text, "utf-8")
        return load_with_notes(path, cancel=cancel).chain, "model.json"
    return _program(question, folder / "protocol.py", cancel)


def _program(question: Question, path: Path, cancel: Cancel) -> tuple[Chain, str]:
    from ..programs import load_program, parse_assignments, program_names

    path.write_bytes(question.text.encode("utf-8", "surrogatepass"))  # the reader says what is no Unicode text
    names = program_names(path)
    name = question.name.strip() or (names[0] if names else "")
    program = load_program(path, name)
    secrets = [parse_assignments(line, "secrets") for line in question.secrets.splitlines() if line.strip()]
    if len(secrets) < 2:
        raise InputError(Defect("secrets", "two are needed to be compared", "one line each, such as x=0"))
    constants = parse_assignments(question.constants, "constants") if question.constants.strip() else {}
    return program.chain(secrets, constants=constants, max_states=MOST_STATES, cancel=cancel), f"protocol.py:{name}"


def _shown(chain: Chain, folder: Path) -> str:
    from ..formats import save

    if len(chain) > LARGEST_SHOWN:
        raise InputError(Defect("", f"{len(chain):,} states are too many to edit here", "save it: deltachain convert"))
    save(chain, folder / "shown.json")
    return (folder / "shown.json").read_text("utf-8")


def _pairs(question: Question, chain: Chain) -> list[tuple[str | int, str | int]] | None:
    names = question.pair.split()
    if not names:
        return None
    if len(names) != 2:
        raise InputError(Defect("pair", f"{question.pair!r} is not two states", "such as s0 s1"))
    return [(chain.number(names[0]), chain.number(names[1]))]


def _whole(text: str) -> int | None:
    if not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdecimal() and len(text) < 12):
        raise InputError(Defect("budget", f"{text!r} is not a number of belief pairs", "such as 5000"))
    return int(text)


if __name__ == "__main__":
    main()
