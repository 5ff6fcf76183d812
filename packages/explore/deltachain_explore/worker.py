"""Computations in a process of their own: requests on standard input, JSON lines on standard output, one by one.

``{"progress": text}`` while it works, then ``{"result": …}`` or ``{"error": [{"where", "what", "fix", "line"}, …]}``.
A line ``stop`` on standard input asks it to end a computation with what is proved by then. The process ends when
standard input does, or after an answer that left it larger than `KEPT_MEMORY`; that one has ``"last": true`` in it.
The text of a model is written to a file of a private folder and read from there, as the command line reads files;
nothing of it is run. A process that takes more than `MOST_MEMORY` ends itself with a defect that says so (where there
is ``/proc``).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from deltachain import examples, formats, programs
from deltachain.cancel import Cancel
from deltachain.errors import Defect, DeltachainError, InputError
from deltachain.model import Chain
from deltachain.parameters import as_whole
from deltachain.reports.report import report
from deltachain.reports.view import VERDICTS
from deltachain.results.numbers import interval
from deltachain.settings import Settings

from .report_request import ReportRequest, defect_message

SECONDS = 60.0
"""After this long a search ends with what it has."""
LIVE_SECONDS = 5.0
"""The same, for what is asked while somebody types."""
MOST_MEMORY = 2 * 2**30
"""Bytes that a computation may take."""
KEPT_MEMORY = 2**29
"""Bytes above which a process ends after its answer, to give them back."""
MOST_NODES = 10_000_000
"""The largest budget of a search."""
MOST_STATES = 200_000
LARGEST_SHOWN = 2_000
"""States of an example that is shown for editing."""

_OUTPUT = threading.Lock()


def main() -> None:
    """Answer the requests of standard input."""
    threading.Thread(target=_limit_memory, daemon=True).start()
    waiting: SimpleQueue[tuple[ReportRequest, Cancel] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(waiting,), daemon=True).start()
    _warm_up(waiting)
    while (taken := waiting.get()) is not None:
        message = _answer(*taken)
        if _memory_taken() > KEPT_MEMORY:
            _write(message | {"last": True})
            return
        _write(message)


def _answer(request: ReportRequest, cancel: Cancel) -> dict[str, Any]:
    """The message that ends a computation."""
    try:
        return {"result": answer_request(request, cancel)}
    except InputError as error:
        return _rejection(*error.defects)
    except DeltachainError as error:
        return _rejection(Defect("", str(error)))
    except (MemoryError, RecursionError):
        return _rejection(Defect("", "the model is too large for the explorer", "use the command line"))


def _warm_up(waiting: SimpleQueue[Any]) -> None:
    """Load what reports need, as long as there is no request: the next one is answered sooner."""
    from deltachain.beliefs.graph import flows, split
    from deltachain.beliefs.signed import search as signed
    from deltachain.formats import native

    _ = flows, signed, split, native
    for spec in ("coin", "memoised-survey", "pin-checker"):  # a plain graph, one that is split, and one with inputs
        if waiting.empty():
            answer_request(ReportRequest(text=spec), Cancel())


def _limit_memory() -> None:
    """End the process, with a defect, once it takes more than `MOST_MEMORY`."""
    while _memory_taken() <= MOST_MEMORY:
        time.sleep(0.05)
    what = f"memory limit of {MOST_MEMORY / 2**30:.3g} GB reached"
    _write(_rejection(Defect("", what, "lower the budget, or use the command line, which has no limit")))
    os._exit(1)


def _memory_taken() -> int:
    """Bytes of this process in main memory; 0 where the system has no ``/proc`` to say so."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _listen(waiting: SimpleQueue[tuple[ReportRequest, Cancel] | None]) -> None:
    """Queue each request with its token; a stop is for the request before it."""
    cancel = Cancel()
    for line in sys.stdin:
        if line == "stop\n":
            cancel.interrupt()
            continue
        request = ReportRequest(**json.loads(line))
        cancel = Cancel(LIVE_SECONDS if request.live else SECONDS, lambda text: _write({"progress": text}))
        waiting.put((request, cancel))
    waiting.put(None)


def _rejection(*defects: Defect) -> dict[str, Any]:
    return {"error": [defect_message(defect) for defect in defects]}


def _write(message: dict[str, Any]) -> None:
    with _OUTPUT:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def answer_request(request: ReportRequest, cancel: Cancel) -> dict[str, Any]:
    """The model as text, or the report with what may be saved; InputError for bad input."""
    cancel.report("reading the model")
    with tempfile.TemporaryDirectory() as folder:
        chain, source = _chain(request, Path(folder), cancel)
        if request.action == "show":
            return {"text": _show(chain, Path(folder))}
        model = _show(chain, Path(folder)) if len(chain) <= LARGEST_SHOWN else request.text
    page = report(
        chain,
        pairs=_pairs(request, chain),
        epsilon=request.epsilon,
        delta=request.delta.strip() or None,
        max_nodes=_nodes(request.max_nodes),
        source=source,
        cancel=cancel,
    )
    verdict = getattr(page.found, "verdict", None)
    return {
        "html": page.html,
        "certificate": "".join(page.found.certificate.chunks()),
        "csv": page.profile.csv(),
        "model": model,
        "headline": VERDICTS[verdict],
        "found": f"{interval('δ', *page.found.bounds)} at {page.found.exp_epsilon.short}",
        "stopped": cancel.reason,
    }


def _chain(request: ReportRequest, folder: Path, cancel: Cancel) -> tuple[Chain, str]:
    if request.kind == "example":
        spec = request.text.removeprefix("example:").strip()
        return examples.build(spec), f"example:{spec}"
    if request.kind == "model":
        path = folder / "model.json"
        path.write_text(request.text, "utf-8")
        return formats.load_with_notes(path, Settings(cancel=cancel)).chain, "model.json"
    return _program(request, folder / "protocol.py", cancel)


def _program(request: ReportRequest, path: Path, cancel: Cancel) -> tuple[Chain, str]:
    path.write_bytes(request.text.encode("utf-8", "surrogatepass"))  # the reader says what is no Unicode text
    names = programs.program_names(path)
    name = request.name.strip() or (names[0] if names else "")
    program = programs.load_program(path, name)
    secrets = [programs.parse_assignments(line, "secrets") for line in request.secrets.splitlines() if line.strip()]
    if len(secrets) < 2:
        raise InputError(Defect("secrets", "at least two are needed", "one per line, such as x=0"))
    constants = programs.parse_assignments(request.constants, "constants") if request.constants.strip() else {}
    return program.chain(secrets, constants=constants, max_states=MOST_STATES, cancel=cancel), f"protocol.py:{name}"


def _show(chain: Chain, folder: Path) -> str:
    if len(chain) > LARGEST_SHOWN:
        raise InputError(Defect("", f"{len(chain):,} states are too many to edit here", "save it: deltachain convert"))
    formats.save(chain, folder / "shown.json")
    return (folder / "shown.json").read_text("utf-8")


def _pairs(request: ReportRequest, chain: Chain) -> list[tuple[str | int, str | int]] | None:
    names = request.pair.split()
    if not names:
        return None
    if len(names) != 2:
        raise InputError(Defect("pair", f"{request.pair!r} is not two states", "such as s0 s1"))
    return [(chain.number(names[0]), chain.number(names[1]))]


def _nodes(text: str) -> int | None:
    """The budget of the page, which the explorer limits."""
    return as_whole(text.strip(), "budget", 1, MOST_NODES) if text.strip() else None


if __name__ == "__main__":
    main()
