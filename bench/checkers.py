"""``python -m bench.checkers``: what it takes to check an answer beside finding it, in CPU seconds.

One column for the search, one for the checker as it runs before an answer is printed (with compiled loops), one for its
plain source, one for the proved checker, which needs `make formal` and whose time includes writing and reading the two
files; it refuses recipes. All others must accept, and say the same. The figures go to bench/results/checkers.json.
"""

from __future__ import annotations

import json
import resource
import time
from typing import Any

from bench.measure import RESULTS
from deltachain import delta
from deltachain.certificate.formal import verify_formally
from deltachain.certificate.older import verify_older
from deltachain.certificate.proved import list_unproved
from deltachain.certificate.verification import CertificateJudge, Seen, parsed_text
from deltachain.examples import build
from deltachain_checker import Claim, describe
from deltachain_checker.certificate import FORMAT
from deltachain_checker_v1 import sums

CASES = [
    ("exact beliefs", "survey,rounds=100", "2", 100_000),
    ("flows", "dining-cryptographers,n=8", "11/10", 100_000),
    ("tree", "random,n=30,labels=3,degree=4,seed=0", "11/10", 3_000),
    ("tree, many states", "random,n=400,labels=3,degree=4,seed=0", "11/10", 20_000),
    ("tree with inputs", "random,n=30,labels=3,degree=3,inputs=2,seed=0", "11/10", 3_000),
    ("grid", "sticky-sensor", "11/10", 100_000),
]


def _cpu() -> float:
    """Of this process and of the programs that it ran."""
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + child.ru_utime + child.ru_stime


def _measured(judge: CertificateJudge, seen: Seen, text: str) -> tuple[float, list[str]]:
    data = parsed_text(text)
    started = _cpu()
    claims = judge(seen, data)
    return _cpu() - started, [*map(describe, claims)]


def _plainly(seen: Seen, document: Any) -> list[Claim]:
    """By the checkers' own source, without compiled loops."""
    if document["format"] == FORMAT:
        return seen.verify(document)
    return verify_older(seen.older, document, loops=sums)


def main() -> None:
    """Measure, compare, print and keep."""
    rows = []
    for case, spec, alpha, nodes in CASES:
        chain = build(spec)
        s, t = chain.relation[0] if chain.relation else (0, 1)
        started = _cpu()
        found = delta(chain, s, t, exp_epsilon=alpha, max_nodes=nodes, check=False)
        search = _cpu() - started
        text, seen = "".join(found.certificate.chunks()), Seen(chain)
        fast, first_said = _measured(Seen.verify, seen, text)
        ours, said = _measured(_plainly, seen, text)
        proved, also_said = (
            (None, said) if [*list_unproved(json.loads(text))] else _measured(verify_formally, seen, text)
        )
        if not said == also_said == first_said:
            raise SystemExit(f"the checkers differ on {spec}")
        rows.append(
            {
                "case": case,
                "example": spec,
                "bytes": len(text),
                "search": search,
                "checked": fast,
                "python": ours,
                "formal": proved,
                "ratio": ours / proved if proved else None,
            }
        )
        print(
            f"{case:20} {len(text):>9,} bytes  search {search:7.2f} s  checked {fast:7.2f} s  python {ours:7.2f} s"
            f"  formal {f'{proved:7.2f} s  {ours / proved:5.1f}×' if proved else 'refuses it'}",
            flush=True,
        )
    (RESULTS / "checkers.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
