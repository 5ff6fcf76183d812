# %% [markdown]
# # Dining cryptographers, from 2 to 30
#
# n cryptographers sit in a ring; every two neighbours share a coin that shows heads with probability p. One of them
# paid. Each says whether the two coins beside them differ, and the payer says the opposite. With p = 1/2 nobody learns
# who paid. With p = 49/100, how much leaks, and how does that grow with the table?

# %%
from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import deltachain as dc

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
EXP_EPSILON = Fraction("1.0002")

# %% [markdown]
# ## Two diners
# The example of the founding paper: δ is 0.00030004, and the paper's bound bd is 0.0004.

# %%
two = dc.examples.dining_cryptographers(n=2, p="49/100")
found = dc.delta(two, "s0", "s1", exp_epsilon=EXP_EPSILON)
bound = dc.distance(two, "s0", "s1", exp_epsilon=EXP_EPSILON).value
print(f"2 diners: δ = {found.upper} exactly, bd = {bound}")

# %% [markdown]
# ## More diners
# Words double with every diner, beliefs do not: proportional ones are merged. δ is exact at every size. The payers are
# neighbours, 0 and 1.

# %%
sizes = [2, 3, 4, 5, 6, 8, 10, 15, 20, 30]
deltas = {}
for n in sizes:
    chain = dc.examples.dining_cryptographers(n=n, p="49/100")
    answer = dc.delta(chain, "s0", "s1", exp_epsilon=EXP_EPSILON)
    if not answer.exact:
        raise SystemExit(f"{n} diners: not exact")
    deltas[n] = answer.upper
    print(f"{n:2} diners: {len(chain):5} states, {answer.nodes:4} belief pairs, δ = {float(answer.upper):.9f}")

# %% [markdown]
# ## What the paper's distance says
# bd is defined on pairs of states, of which there are many more than beliefs; here for tables of up to four.

# %%
bounds = {}
for n in [2, 3, 4]:
    chain = dc.examples.dining_cryptographers(n=n, p="49/100")
    bounds[n] = dc.distance(chain, "s0", "s1", exp_epsilon=EXP_EPSILON).value
    if bounds[n] < deltas[n]:
        raise SystemExit(f"{n} diners: bd is below δ")
    print(f"{n:2} diners: bd ≤ {float(bounds[n]):.9f}")

# %% [markdown]
# ## The picture
# δ rises with the table, more and more slowly: there are more announcements to put together.

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(6.4, 4.2), layout="constrained")
axes = figure.subplots()
axes.plot(sizes, [float(deltas[n]) for n in sizes], marker="o", color="#0072B2", label="δ, exact")
axes.plot(list(bounds), [float(v) for v in bounds.values()], marker="s", color="#D55E00", ls="--", label="bd (paper)")
axes.set(
    xlabel="diners", ylabel="δ (probability)", title="Dining cryptographers, p = 49/100, e^ε = 1.0002", ylim=(0, None)
)
axes.grid(visible=True, alpha=0.3)
axes.legend(frameon=False)
figure.savefig(FOLDER / "diners.svg")

# %% [markdown]
# ## The whole curve
# One exploration answers for every ε.

# %%
twelve = dc.examples.dining_cryptographers(n=12, p="49/100")
curve = dc.profile(twelve, "s0", "s1")
curve.plot(FOLDER / "diners_profile.svg")
pure = dc.epsilon(twelve, "s0", "s1", delta=0)
print(
    f"12 diners: pure ε-privacy from e^ε = {pure.exp_epsilon_proved} on; "
    f"the loss distribution has {len(curve.losses)} outcomes"
)
