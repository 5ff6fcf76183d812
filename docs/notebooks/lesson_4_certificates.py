# %% [markdown]
# # Lesson 4: do not trust us
#
# A number from a program is a claim. A **certificate** is a file with which somebody else can check it, by a
# short program that knows nothing of how the number was found.

# %%
from __future__ import annotations

import json
import sys
from pathlib import Path

import deltachain as dc
from deltachain.errors import CertificateRejected

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
chain = dc.examples.dining_cryptographers(n=2, p="49/100")
found = dc.delta(chain, "s0", "s1", exp_epsilon="1.0002")
path = FOLDER / "diners.json"
found.certificate.save(path)
print("δ =", found.upper, "with a certificate of", len(json.loads(path.read_text("utf-8"))), "parts")

# %% [markdown]
# Checking it takes the model and the file:

# %%
print(dc.verify(chain, path))

# %% [markdown]
# A certificate for another model is refused, and so is one whose numbers were touched:

# %%
try:
    dc.verify(dc.examples.dining_cryptographers(n=2, p="48/100"), path)
except CertificateRejected as refusal:
    print("another model: refused:", str(refusal)[:60])
else:
    raise SystemExit("a certificate must not prove things about another model")

# %%
text = path.read_text("utf-8")
tampered = text.replace("7501/25000000", "7500/25000000")
path.write_text(tampered, "utf-8")
try:
    dc.verify(chain, path)
except CertificateRejected as refusal:
    print("a smaller bound: refused:", str(refusal)[:60])
else:
    raise SystemExit("a bound that was lowered must be refused")
if tampered == text:
    raise SystemExit("nothing was changed")

# %% [markdown]
# What is proved is the model's privacy. You must make sure that the model describes your system.
