"""The chains of bdsolver's examples (github.com/bossen/bdsolver), made from what they describe, as `.lmc` files.

    python examples/suites/bdsolver.py 08times > 08times.lmc

Each file has two chains side by side: a coin and another one, a die and another one, a number of throws and the same
number with another coin. The distance is that of their two starts.
"""

import sys

HALF = ("1/2", "1/2")
FACES = ("leftleftright", "leftrightleft", "leftrightright", "rightleftleft", "rightleftright", "rightrightleft")


def coin(heads, tails):
    """One throw."""
    return {"start": {"head": heads, "tail": tails}, "head": {"head": 1}, "tail": {"tail": 1}}


def three_faces(heads, tails):
    """Two throws make one of three faces; head and then tail is thrown again."""
    faces = {face: {face: 1} for face in ("headhead", "tailhead", "tailtail")}
    thrown = {"head": {"start": tails, "headhead": heads}, "tail": {"tailhead": heads, "tailtail": tails}}
    return {"start": {"head": heads, "tail": tails}} | thrown | faces


def die(left, right, again_left, again_right):
    """Three throws make one of six faces; two of the eight ways go back to the first throw."""
    ways = {
        "start": {"left": left, "right": right},
        "left": {"leftleft": left, "leftright": right},
        "right": {"rightleft": left, "rightright": right},
        "leftleft": {"left": again_left, "leftleftright": one_less(again_left)},
        "leftright": {"leftrightleft": left, "leftrightright": right},
        "rightleft": {"rightleftleft": left, "rightleftright": right},
        "rightright": {"right": again_right, "rightrightleft": one_less(again_right)},
    }
    return ways | {face: {face: 1} for face in FACES}


def one_less(probability):
    """What is left of one: ``1/3`` for ``2/3``."""
    above, below = map(int, probability.split("/"))
    return f"{below - above}/{below}"


def throws(number, left, right):
    """All sequences of that many throws; a state knows what was thrown."""
    found = {}
    level = ["label"]
    for _ in range(number):
        for at in level:
            found[at] = {f"{at}l": left, f"{at}r": right}
        level = [f"{at}{way}" for at in level for way in "lr"]
    return found | {at: {at: 1} for at in level}


def direct(faces):
    """A fair die that is thrown at once."""
    return {"start": dict.fromkeys(faces, f"1/{len(faces)}")} | {face: {face: 1} for face in faces}


CHAINS = {
    "faircoin": (coin(*HALF), coin(*HALF)),
    "unfaircoin": (coin(*HALF), coin("1/4", "3/4")),
    "minidice": (three_faces(*HALF), three_faces("1/3", "2/3")),
    "coindicevsrealdice": (three_faces(*HALF), direct(("headhead", "tailhead", "tailtail"))),
    "dice": (die(*HALF, "1/2", "1/2"), die(*HALF, "1/2", "1/2")),
    "unfairdice": (die(*HALF, "1/2", "1/2"), die("1/3", "2/3", "2/3", "1/3")),
} | {f"{n:02}times": (throws(n - 1, *HALF), throws(n - 1, "2/3", "1/3")) for n in (8, 9, 10, 11)}


def written(name):
    """Both chains of that name as one file: names of states are their labels, and become numbers."""
    one, other = CHAINS[name]
    numbers = {(side, label): n for n, (side, label) in enumerate(((s, a) for s in (0, 1) for a in (one, other)[s]), 1)}
    lines = ["States", *(f"{n} {label}" for (_, label), n in numbers.items()), "", "Edges"]
    for side, chain in enumerate((one, other)):
        for label, row in chain.items():
            to = {target: share if "/" in str(share) else f"{share}/1" for target, share in row.items()}
            lines += [f"{numbers[side, label]} -> {numbers[side, target]} {share}" for target, share in to.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(written(sys.argv[1]))
