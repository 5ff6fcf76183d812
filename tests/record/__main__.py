"""``python -m tests.record FILE`` writes what this tree answers; ``--compare FILE`` says where it answers otherwise.

Each case runs in a process of its own, forked before anything heavy is imported, so that no answer depends on its
company. A row holds, for each pair, the bounds, the method, why the search stopped, and the number of beliefs; for
the case, the SHA-256 of the certificate and whether our checker accepts it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.record.corpus import EPSILON, Case, corpus

MAY_DIFFER = ("nodes", "certificate")
"""Fields whose difference is told apart: certificates stay valid, whatever their bytes."""


def answered(case: Case) -> dict[str, Any]:
    """What this tree says about the case."""
    import deltachain as dc

    at: dict[str, Any] = {"epsilon": EPSILON} if case.exp_epsilon is None else {"exp_epsilon": case.exp_epsilon}
    found = dc.delta(case.chain, pairs=list(case.pairs), max_nodes=case.max_nodes, **at)
    text = "".join(found.certificate.chunks())
    dc.verify(case.chain, found.certificate)
    pairs = [
        {
            "pair": entry["pair"],
            "lower": entry["lower"]["exact"],
            "upper": entry["upper"]["exact"],
            "method": entry["method"],
            "stopped": entry["stopped"],
            "nodes": entry["nodes"],
        }
        for entry in found.to_dict()["results"]
    ]
    return {"case": case.name, "pairs": pairs, "certificate": hashlib.sha256(text.encode()).hexdigest()}


def in_a_child(case: Case) -> dict[str, Any]:
    """The row of a case, computed in a child of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            os.close(read)
            try:
                row = answered(case)
            except Exception:  # a row of the record, whatever it is
                row = {"case": case.name, "error": traceback.format_exc(limit=-1)}
            with os.fdopen(write, "w") as stream:
                json.dump(row, stream)
            status = 0
        os._exit(status)
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    row: dict[str, Any] = json.loads(text) if text else {"case": case.name, "error": "the process died"}
    return row


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, sentence) for everything that differs between two rows of one case."""
    for field in ("error", "certificate"):
        if old.get(field) != new.get(field):
            yield field, f"{field} {old.get(field)} → {new.get(field)}"
    for before, after in zip(old.get("pairs", []), new.get("pairs", []), strict=False):
        for field in ("pair", "lower", "upper", "method", "stopped", "nodes"):
            if before[field] != after[field]:
                yield field, f"{before['pair']}: {field} {before[field]} → {after[field]}"


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    arguments = parser.parse_args()
    cases = [case for case in corpus() if arguments.only in case.name]
    if not arguments.compare:
        with arguments.file.open("w", encoding="utf-8") as out:
            for case in cases:
                print(json.dumps(in_a_child(case), ensure_ascii=False), file=out)
        return 0
    rows = map(json.loads, arguments.file.read_text("utf-8").splitlines())
    recorded: dict[str, dict[str, Any]] = {row["case"]: row for row in rows}
    counts: dict[str, int] = {}
    for case in cases:
        for field, sentence in differences(recorded[case.name], in_a_child(case)):
            counts[field] = counts.get(field, 0) + 1
            if field not in MAY_DIFFER:
                print(f"{case.name}: {sentence}")
    print(f"{len(cases)} cases; differences: {counts or 'none'}")
    return 1 if set(counts) - set(MAY_DIFFER) else 0


if __name__ == "__main__":
    sys.exit(main())
