# %% [markdown]
# # Lesson 1: randomised response
#
# "Have you ever cheated in an exam?" Toss a coin in secret: with probability 3/4 tell the truth, otherwise the
# opposite. Nobody can hold your answer against you. How much does it say, exactly?

# %%
from __future__ import annotations

from fractions import Fraction

import deltachain as dc
from deltachain import announce, flip, program


@program
def survey(truth, honest="3/4"):
    announce("yes" if truth == flip(honest) else "no")


chain = survey.chain(secrets=[{"truth": True}, {"truth": False}])
print(chain)

# %% [markdown]
# The chain has one start state for each secret. What somebody sees is the labels. An **event** is a set of what
# can be seen; here there are two letters, so four events. For each, compare its probability from both sides:

# %%
for word in ("yes", "no"):
    from_yes, from_no = (dc.trace(chain, state, ("start", word)).probability for state in chain.pairs[0])
    print(f"{word}: {from_yes} from a cheat, {from_no} from an honest person, ratio {from_yes / from_no}")

# %% [markdown]
# **Privacy.** The system is ε-private if no event is more than e^ε times likelier from one side than from the
# other. Here the worst ratio is 3, so e^ε = 3. deltachain finds the least one:

# %%
found = dc.epsilon(chain, delta=0)
print("least e^ε:", found.exp_epsilon_proved)
if found.exp_epsilon_proved != 3:
    raise SystemExit("randomised response with 3/4 should have e^ε = 3")

# %% [markdown]
# **Exercise.** Which honesty gives e^ε = 2? The ratio is h/(1 - h), so h = 2/3:

# %%
two = survey.chain(secrets=[{"truth": True}, {"truth": False}], constants={"honest": Fraction(2, 3)})
print("with honesty 2/3:", dc.epsilon(two, delta=0).exp_epsilon_proved)
