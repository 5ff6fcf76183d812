"""``python -m tests.record`` writes the record anew: what this tree answers to every question of the corpus.

With ``--verbs`` that of every verb, by commands and calls; with ``--proofs RELEASE`` as well, whole certificates of a
sample of them are kept under that name, for later checkers to accept.

Do this only where answers have become better and the old record is left behind on purpose; `tests.record.replay` says
how they differ. Every bound is accepted by the checker before it is written, or said to have no certificate.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc
from tests.record.answers import answered
from tests.record.asked import answered as further_answer
from tests.record.asked import model_arguments, of_model, run, short
from tests.record.corpus import corpus
from tests.record.further import further
from tests.record.replay import ANSWERS, CERTIFICATES, VERBS, loaded, rows_of


def main() -> int:
    """Write the record, and say what it holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    parser.add_argument("--out", type=Path, default=ANSWERS)
    parser.add_argument("--only", default="", help="models whose kind and name contain this text")
    parser.add_argument("--verbs", action="store_true", help="commands and calls of every verb")
    parser.add_argument("--proofs", metavar="RELEASE", help="keep whole certificates, as of this release")
    arguments = parser.parse_args()
    if arguments.verbs:
        return _verbs(arguments.only, arguments.proofs)
    counts: Counter[str] = Counter()
    rows = []
    with TemporaryDirectory() as folder:
        for model in corpus():
            if arguments.only not in f"{model.kind}: {model.name}":
                continue
            row: dict[str, Any] = {key: value for key, value in vars(model).items() if value is not None}
            chain = loaded(row, Path(folder))
            row["sha256"] = chain.sha256[:16]
            row["asked"] = []
            for question in model.asked:
                started = time.process_time()
                answer = answered(chain, question)
                row["asked"].append([question, answer])
                counts[f"{model.kind}: {question['verb']}{', refused' if 'refused' in answer else ''}"] += 1
                if time.process_time() - started > 1:
                    print(f"{model.name}: {question}: {time.process_time() - started:.1f} s", file=sys.stderr)
            rows.append(row)
    written(rows, arguments.out)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    return 0


def written(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write the rows of a record."""
    with lzma.open(path, "wt", encoding="utf-8", preset=9) as out:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=out)


EACH, LONGEST = 2, 25_000
"""Whole certificates of each verb and kind of chain that are kept, and their characters with the model at most."""


def _verbs(only: str, release: str | None) -> int:
    """Write the record of commands and calls, and keep a sample of their certificates."""
    counts: Counter[str] = Counter()
    kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for model in further():
            if only not in f"{model.kind}: {model.name}":
                continue
            row: dict[str, Any] = {key: value for key, value in vars(model).items() if value is not None}
            row["asked"] = []
            for question in model.asked:
                verb = question["command"][0] if "command" in question else f"dc.{question['call']}"

                def keep(
                    proof: Path, row: dict[str, Any] = row, question: dict[str, Any] = question, verb: str = verb
                ) -> None:
                    found = kept.setdefault((row["kind"], verb), [])
                    if len(found) < EACH and (sample := _whole(row, question["command"], proof, folder)):
                        found.append(sample)

                started = time.process_time()
                row["asked"].append([question, further_answer(row, question, folder, keep if release else None)])
                counts[verb] += 1
                if time.process_time() - started > 2:
                    print(f"{model.name}: {question}: {time.process_time() - started:.1f} s", file=sys.stderr)
            rows.append(row)
    written(rows, VERBS)
    if release:
        older = [row for row in rows_of(CERTIFICATES) if row["release"] != release]
        written([*older, *({"release": release} | row for found in kept.values() for row in found)], CERTIFICATES)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{sum(map(len, kept.values()))} whole certificates")
    return 0


def _whole(row: Mapping[str, Any], line: Sequence[str], proof: Path, folder: Path) -> dict[str, Any] | None:
    """A certificate with the model file that it is about, if they are short and it is accepted of the file."""
    model, options = model_arguments(row, folder)
    path = folder / "whole.json"
    opened = [part for one, other in pairwise(line) if one == "--parameter" for part in (one, other)]
    text = row.get("text")
    if text is None or not opened:
        run(["convert", model, str(path), *options, *of_model(line, "convert"), *opened, "--force", "-q"])
        text = path.read_text("utf-8")
    path.write_text(text, encoding="utf-8")
    certificate = proof.read_text("utf-8")
    if len(text) + len(certificate) > LONGEST:
        return None
    sentences = dc.verify(path, proof)
    about = f"{row['kind']}: {row['name']}: {' '.join(line)}"
    whole = {"name": about, "claims": len(sentences), "sentences": [short(str(each)) for each in sentences[:40]]}
    return whole | {"model": text, "certificate": certificate}


if __name__ == "__main__":
    sys.exit(main())
