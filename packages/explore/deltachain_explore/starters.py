"""What the explorer's editor can start from: a model as native JSON, and examples of the zoo written as programs.

A program has the δ of the example that it is named for. Its keyword parameters have the names and defaults of the
example's, so that values which were set there are its constants.
"""

from __future__ import annotations

from dataclasses import dataclass

MODEL = """{"format": "deltachain.chain/1",
 "states": {
  "s0": {"label": "start", "to": {"no": "3/4", "yes": "1/4"}},
  "s1": {"label": "start", "to": {"no": "1/4", "yes": "3/4"}},
  "no": {"label": "no", "to": {"end": 1}},
  "yes": {"label": "yes", "to": {"end": 1}},
  "end": {"label": "end", "to": {"end": 1}}
 },
 "relation": [["s0", "s1"]]}
"""


@dataclass(frozen=True, slots=True)
class Starter:
    """An example as a program.

    Attributes:
        text: Python text with one program.
        secrets: what it starts from, one per line.
        constants: the example's parameters that the program has, too.
    """

    text: str
    secrets: str
    constants: tuple[str, ...]


PROGRAMS = {
    "survey": Starter(
        """from deltachain import announce, flip, program


@program
def survey(truth, rounds=1, p="3/4"):
    # Answer truthfully with probability p, and lie otherwise.
    for _ in range(rounds):
        announce("yes" if (truth == 1) == flip(p) else "no")
""",
        "truth=0\ntruth=1",
        ("rounds", "p"),
    ),
    "crowds": Starter(
        """from deltachain import announce, flip, program, uniform


@program
def crowds(sender, members=5, corrupt=1, forward="3/4"):
    # The last members are corrupt. One that gets the request sees who handed it over.
    holder = sender
    on_its_way = True
    while on_its_way:
        target = uniform(0, members - 1)
        if target >= members - corrupt:
            announce(f"from-{holder}")
            return
        holder = target
        on_its_way = flip(forward)
    announce("unseen")
""",
        "sender=0\nsender=1",
        ("members", "corrupt", "forward"),
    ),
    "dining-cryptographers": Starter(
        """from deltachain import announce, flip, program


@program
def dining(paying, n=3, p="49/100"):
    # Each two neighbours share a coin; each diner says whether the two coins differ, and who paid lies.
    first = flip(p)
    previous = first
    for i in range(n):
        this = first if i == n - 1 else flip(p)
        announce(previous == this if i == paying else previous != this)
        previous = this
""",
        "paying=0\npaying=1\npaying=2",
        ("n", "p"),
    ),
    "geometric": Starter(
        """from deltachain import announce, geometric, program


@program
def release(count, m=5, ratio="1/2"):
    # Two-sided geometric noise; what is published stays within 0 and m.
    announce(count + geometric(ratio, -count, m - count))
""",
        "count=0\ncount=1",
        ("m", "ratio"),
    ),
    "clamped-geometric": Starter(
        """from deltachain import announce, geometric, program


@program
def release(count, clamp=2, ratio="1/2"):
    # The noise itself is cut off, and so an extreme output gives the count away.
    announce(count + geometric(ratio, -clamp, clamp))
""",
        "count=0\ncount=1",
        ("clamp", "ratio"),
    ),
    "noisy-max": Starter(
        """from deltachain import announce, geometric, program


@program
def noisy_max(answers, clamp=0, ratio="1/2"):
    # Publish where the largest noisy answer is, and not how large it is.
    best = 0
    where = 0
    for i in range(len(answers)):
        if clamp == 0:
            noisy = answers[i] + geometric(ratio)
        else:
            noisy = answers[i] + geometric(ratio, -clamp - answers[i], clamp - answers[i])
        if i == 0 or noisy > best:
            best = noisy
            where = i
    announce(where)
""",
        "answers=(0,1)\nanswers=(1,0)",
        ("clamp", "ratio"),
    ),
    "sparse-vector": Starter(
        """from fractions import Fraction

from deltachain import announce, geometric, program


@program
def sparse_vector(answers, c=1, unit="1/2", clamp=0):
    # Say which answers reach a noisy threshold, until c of them have.
    u = Fraction(unit)
    if clamp == 0:
        threshold = geometric(u ** (2 * c))
    else:
        threshold = geometric(u ** (2 * c), -clamp, clamp)
    count = 0
    while len(answers) > 0 and count < c:
        if clamp == 0:
            noisy = answers[0] + geometric(u)
        else:
            noisy = answers[0] + geometric(u, -clamp, clamp)
        answers = answers[1:]
        if noisy >= threshold:
            count += 1
            announce("above")
        else:
            announce("below")
""",
        "answers=(0,1)\nanswers=(1,0)",
        ("c", "unit", "clamp"),
    ),
    "histogram": Starter(
        """from deltachain import announce, geometric, program


@program
def histogram(counts, m=2, ratio="1/2"):
    # The count of each bin, with noise of its own; one person may move from one bin to another.
    for count in counts:
        announce(count + geometric(ratio, -count, m - count))
""",
        "counts=(1,0)\ncounts=(0,1)",
        ("m", "ratio"),
    ),
}
"""By the name of the example."""
