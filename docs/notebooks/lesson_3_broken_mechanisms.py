# %% [markdown]
# # Lesson 3: mechanisms that are broken
#
# The sparse vector technique answers many questions "above or below a threshold?" for the price of one, if it is
# done right. Six forms were published; four of them are wrong. Which, and how do they give themselves away?

# %%
from __future__ import annotations

import deltachain as dc

CLAIMED = 16  # e^ε of every form below

for variant in range(1, 7):
    chain = dc.examples.sparse_vector(variant=variant, n=5, ones=3 if variant == 6 else 1)
    verdict = dc.check(chain, exp_epsilon=CLAIMED, delta=0)
    print(f"form {variant}: {verdict.verdict}")

# %% [markdown]
# The fifth puts no noise on the answers. Ask for the event:

# %%
broken = dc.delta(dc.examples.sparse_vector(variant=5), exp_epsilon=CLAIMED)
if broken.witness is None:
    raise SystemExit("form 5 should have a witness")
worst = broken.witness.words[0]
print("form 5:", " ".join(worst.word), worst.probability, "against", worst.other)

# %% [markdown]
# Below and then above: with (0, 1) that happens if the threshold is 1, with (1, 0) never. No ε helps. The fourth
# form is only off by a factor, 7/4 of the ε that was claimed:

# %%
fourth = dc.epsilon(dc.examples.sparse_vector(variant=4, n=5), delta=0)
print(f"form 4: e^ε = {float(fourth.exp_epsilon_proved or 0):.1f} where {CLAIMED} was claimed")

# %% [markdown]
# **Exercise.** The histogram is private at e^ε = 2 if a person may be missing. And if she may be in another bin?

# %%
print("missing:", dc.epsilon(dc.examples.histogram(moved=0), delta=0).exp_epsilon_proved)
print("moved:", dc.epsilon(dc.examples.histogram(moved=1), delta=0).exp_epsilon_proved)
