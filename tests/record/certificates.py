"""``PYTHONPATH=TREE/src python -m tests.record.certificates RELEASE`` records what the release in TREE proves.

The checker keeps its rules: what an older release has proved of a model file is accepted by every later one. The
certificates are of a sample of the recorded models, short ones, each with the model file as that release writes it.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import deltachain as dc
from tests.record.replay import ANSWERS, CERTIFICATES, loaded, rows_of, sample

EACH = 20
"""Models of each kind."""
LONGEST = 20_000
"""Characters of a model and its certificate at most."""


def proved(release: str) -> Iterator[dict[str, Any]]:
    """What the tree that is imported proves of a sample of the models, as far as it reads them."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for row in sample(rows_of(ANSWERS), EACH):
            for question, _ in row["asked"]:
                if {"repeat", "compose"} & set(question):
                    continue
                try:
                    chain = loaded(row, folder)
                    certificate = _certificate(chain, question)
                    dc.save(chain, folder / "saved.json")
                    certificate.save(folder / "certificate.json")
                    claims = dc.verify(dc.load(folder / "saved.json"), folder / "certificate.json")
                except (dc.errors.DeltachainError, TypeError, AttributeError, ValueError) as reason:
                    print(f"{row['name']}: {type(reason).__name__}: {str(reason)[:100]}", file=sys.stderr)
                    continue
                model = (folder / "saved.json").read_text("utf-8")
                text = (folder / "certificate.json").read_text("utf-8")
                if len(model) + len(text) <= LONGEST:
                    about = {"release": release, "name": f"{row['kind']}: {row['name']}: {question['verb']}"}
                    yield about | {"claims": len(claims), "model": model, "certificate": text}


def _certificate(chain: dc.Chain, question: dict[str, Any]) -> Any:
    """The proof of a question, or of one like it that has a proof."""
    pairs = {"pairs": [(s, t) for s, t in question["pairs"]]} if "pairs" in question else {}
    if question["verb"] == "distance":
        return dc.distance(chain, kind=question["kind"], exp_epsilon=question["exp_epsilon"], **pairs).certificate
    at = {name: question[name] for name in ("epsilon", "exp_epsilon") if name in question} or {"epsilon": "1/2"}
    return dc.delta(chain, max_nodes=question.get("max_nodes", 1_000), **at, **pairs).certificate


def main() -> int:
    """Add the certificates of a release, in place of those of that name."""
    release = sys.argv[1]
    rows = [row for row in rows_of(CERTIFICATES) if row["release"] != release] if CERTIFICATES.exists() else []
    rows += proved(release)
    with lzma.open(CERTIFICATES, "wt", encoding="utf-8", preset=9) as out:
        for row in rows:
            print(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=out)
    print(f"{sum(row['release'] == release for row in rows)} certificates of {release}; {len(rows)} in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
