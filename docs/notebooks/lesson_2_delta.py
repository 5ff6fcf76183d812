# %% [markdown]
# # Lesson 2: a little δ
#
# If you may only promise e^ε = 2 and the survey needs 3, how far off are you? δ is the answer: the smallest
# number with P(E | one side) ≤ e^ε · P(E | other side) + δ for every event E.

# %%
from __future__ import annotations

import deltachain as dc

chain = dc.examples.survey()
found = dc.delta(chain, "s0", "s1", exp_epsilon=2)
print("δ at e^ε = 2:", found.upper, "exact" if found.exact else "")

# %% [markdown]
# By hand: the best event for "no" is hearing no, 3/4 - 2 · 1/4 = 1/4. deltachain names it:

# %%
if found.witness is None:
    raise SystemExit("there should be an event")
for word in found.witness.words:
    print("event:", " ".join(word.word), word.probability, "against", word.other)

# %% [markdown]
# δ falls as ε grows. The whole curve is one computation:

# %%
for exp_epsilon in ("1", "3/2", "2", "5/2", "3"):
    print(f"e^ε = {exp_epsilon:>3}: δ =", dc.delta(chain, "s0", "s1", exp_epsilon=exp_epsilon).upper)

# %% [markdown]
# Asked twice, with fresh coins, the losses add up: e^ε = 9. **Exercise:** what is δ at e^ε = 3 for two rounds?

# %%
twice = dc.examples.survey(rounds=2)
print(
    "two rounds: e^ε =",
    dc.epsilon(twice, delta=0).exp_epsilon_proved,
    "and δ at 3 is",
    dc.delta(twice, exp_epsilon=3).upper,
)
