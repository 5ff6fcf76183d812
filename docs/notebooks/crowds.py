# %% [markdown]
# # Crowds: how large must the crowd be?
#
# A member who wants to fetch a page hands the request to a random member of the crowd, itself included. Whoever gets
# it hands it on with probability `forward`, or delivers it. Some members are corrupt: they note who handed them the
# request. How well do they tell the sender from any other honest member?

# %%
from __future__ import annotations

import sys
from pathlib import Path

import deltachain as dc

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()

# %% [markdown]
# ## One corrupt member in a growing crowd
# The predecessor that a corrupt member sees is the sender with a higher probability than anybody else. Pure ε is the
# logarithm of the ratio; δ at ε = 0 is the total variation distance.

# %%
sizes = [3, 4, 5, 6, 8, 10, 15, 20]
ratios, leaks = [], []
for members in sizes:
    chain = dc.examples.crowds(members=members, corrupt=1, forward="3/4")
    pure = dc.epsilon(chain, "s0", "s1", delta=0)
    leak = dc.delta(chain, "s0", "s1", exp_epsilon=1)
    if not (pure.exact and leak.exact and pure.exp_epsilon_proved is not None):
        raise SystemExit(f"{members} members: not exact")
    ratios.append(pure.exp_epsilon_proved)
    leaks.append(leak.upper)
    print(f"{members:2} members: e^ε = {pure.exp_epsilon_proved} for δ = 0; δ = {leak.upper} for ε = 0")

# %% [markdown]
# A larger crowd makes the leak *rarer* (δ falls like 1/members) but, when it happens, *more telling* (the ratio grows):
# somebody else in a large crowd is less and less likely to be the predecessor.

# %%
if sorted(leaks, reverse=True) != leaks or sorted(ratios) != ratios:
    raise SystemExit("the text above is wrong")

# %% [markdown]
# ## Several requests
# The same sender sends again, and the corrupt member knows that the requests belong together.

# %%
paths = [1, 2, 3, 4, 5, 6]
repeated = [
    dc.delta(dc.examples.crowds(members=5, corrupt=1, forward="3/4", paths=n), "s0", "s1", exp_epsilon=2) for n in paths
]
for n, found in zip(paths, repeated, strict=True):
    print(f"{n} requests: δ at e^ε = 2 is {float(found.upper):.6f} ({'exact' if found.exact else 'an upper bound'})")

# %% [markdown]
# ## The pictures

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(9.0, 4.2), layout="constrained")
left, right = figure.subplots(1, 2)
left.set_xticks([*sizes[:5], *sizes[-3:]])
left.plot(sizes, [float(value) for value in leaks], marker="o", color="#0072B2", label="δ at ε = 0")
left.set(
    xlabel="members of the crowd", ylabel="δ (probability)", title="One corrupt member, one request", ylim=(0, None)
)
right.plot(paths, [float(found.upper) for found in repeated], marker="s", color="#D55E00", label="δ at e^ε = 2")
right.set(xlabel="requests by one sender", ylabel="δ (probability)", title="Five members, one corrupt", ylim=(0, None))
for axes in (left, right):
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
figure.savefig(FOLDER / "crowds.svg")
dc.profile(dc.examples.crowds(members=5), "s0", "s1").plot_tradeoff(FOLDER / "crowds_tradeoff.svg")
