# %% [markdown]
# # Randomised response, asked again and again
#
# "Have you ever …?" Toss a coin in secret; say the truth with probability 3/4 and the opposite otherwise. One answer is
# private with ε = ln 3. But what if the question is asked every day?

# %%
from __future__ import annotations

import math
import sys
from pathlib import Path

import deltachain as dc

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()

# %% [markdown]
# ## Fresh noise every day
# Each answer is tossed anew. Pure ε adds up: n answers need n · ln 3. δ at a fixed ε tends to 1.

# %%
rounds = list(range(1, 13))
fresh = []
for n in rounds:
    chain = dc.examples.survey(rounds=n, p="3/4")
    pure = dc.epsilon(chain, "s0", "s1", delta=0)
    if pure.exp_epsilon_proved != 3**n:
        raise SystemExit(f"{n} answers: e^ε = {pure.exp_epsilon_proved}, and 3^{n} was expected")
    fresh.append(dc.delta(chain, "s0", "s1", exp_epsilon=2).upper)
    print(f"{n:2} answers: pure ε = {n} · ln 3 ≈ {n * math.log(3):.3f}, δ at e^ε = 2 is {float(fresh[-1]):.6f}")

# %% [markdown]
# ## A permanent answer
# RAPPOR's remedy: draw a noisy answer *once*, keep it forever, and report it with fresh noise every day. The chain
# never ends. However long one listens, the permanent answer is all there is to learn: pure ε is at most ln 3.

# %%
permanent = dc.examples.memoised_survey(p="3/4", q="3/4")
found = dc.delta(permanent, "s0", "s1", exp_epsilon=2)
print(f"for ever, at e^ε = 2: δ ≤ {found.upper}, and less by at most {float(found.upper - found.lower):.1e}")
for exp_epsilon in (3, 4):
    answer = dc.check(permanent, "s0", "s1", exp_epsilon=exp_epsilon, delta=0)
    print(f"for ever, δ = 0 at e^ε = {exp_epsilon}: {answer.verdict}")
if dc.check(permanent, "s0", "s1", exp_epsilon=3, delta=0).verdict != "private":
    raise SystemExit("the permanent answer should be private at e^ε = 3")

# %% [markdown]
# ## The picture

# %%
from matplotlib.figure import Figure

level = dc.delta(permanent, "s0", "s1", exp_epsilon=2).upper
figure = Figure(figsize=(6.4, 4.2), layout="constrained")
axes = figure.subplots()
axes.plot(rounds, [float(value) for value in fresh], marker="o", color="#D55E00", label="fresh noise every day")
axes.axhline(float(level), color="#0072B2", linestyle="--", label="permanent answer, for ever")
axes.set(xlabel="answers given", ylabel="δ (probability)", title="Randomised response, p = 3/4, e^ε = 2", ylim=(0, 1))
axes.grid(visible=True, alpha=0.3)
axes.legend(frameon=False)
figure.savefig(FOLDER / "surveys.svg")

# %% [markdown]
# What an observer hears in the worst case: a long run of the same answer.

# %%
witness = dc.delta(dc.examples.survey(rounds=7, p="3/4"), "s0", "s1", exp_epsilon=2).witness
if witness is None:
    raise SystemExit("seven answers should give something away")
print("most telling:", " ".join(witness.words[0].word), "with a ratio of", witness.words[0].ratio)
