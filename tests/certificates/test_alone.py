"""The checker by itself: ``python -I -S`` has neither our other modules nor anybody else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import deltachain_checker_v1

CHECKER = Path(deltachain_checker_v1.__file__).parents[1]

JUDGE = """
import json, pathlib, sys
folder, root = sys.argv[1:]
sys.path.insert(0, folder)
from deltachain_checker_v1 import CertificateRejected, describe, read_file, verify
from deltachain_checker_v1.families import model_in

def fits(kind, name, entry):
    model = model_in(read_file(str(root / "models" / (entry["model"] + ".json"))))
    try:
        return [*map(describe, verify(model, read_file(str(root / kind / (name + ".json")))))] == entry["proves"]
    except CertificateRejected as reason:
        return kind != "accept" and entry["says"] in str(reason)

found = []
for root in (pathlib.Path(root), pathlib.Path(root) / "families"):
    for kind in ("accept", "reject", "malformed"):
        kept = json.loads((root / (kind + ".json")).read_text("utf-8"))
        wrong = [name for name, entry in kept.items() if not fits(kind, name, entry)]
        assert not wrong, wrong
        found.append(len(kept))
others = [name for name in sys.modules if name.split(".")[0] not in {*sys.stdlib_module_names, "deltachain_checker_v1"}]
assert others == ["__main__"] or not others, others
print(found)
"""


def test_every_kept_certificate_is_judged_alike_without_anything_installed() -> None:
    command = [sys.executable, "-I", "-S", "-c", JUDGE, str(CHECKER), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("[109, 424, 185, ")
