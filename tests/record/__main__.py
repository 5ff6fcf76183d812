"""``python -m tests.record`` writes the record anew: what this tree answers to every question of the corpus.

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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.record.answers import answered
from tests.record.corpus import corpus
from tests.record.replay import ANSWERS, loaded


def main() -> int:
    """Write the record, and say what it holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    parser.add_argument("--out", type=Path, default=ANSWERS)
    parser.add_argument("--only", default="", help="models whose kind and name contain this text")
    arguments = parser.parse_args()
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
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=9) as out:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=out)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
