"""Words drawn from a signed belief, and what the filter says at their ends: loops of `measures.estimate`."""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Draft, Draws, Steps, Strata
    from .step import FloatRows, FloatSums, send_floats
    from .types import ConstInts, ConstInts2, ConstInts32, ConstReals2, Ints, Ints32, Masses, Reals2, f64, flag, i64

OVERFLOW = cython.declare(f64, 2.0**300)
"""A word on which one side outgrows the other beyond this is given up."""
SPARSE = cython.declare(i64, 4)
"""States are listed while this many times their number is below that of the next label."""


@cython.cclass
class Starts:
    """`Strata`, as kernels see them."""

    label: ConstInts
    begin: ConstInts
    spot: ConstInts
    length: ConstInts
    sign: ConstInts
    ends: ConstInts
    values: ConstInts
    states: ConstInts32

    def __init__(self, strata: Strata) -> None:
        self.label, self.begin, self.spot, self.length = strata.label, strata.begin, strata.spot, strata.length
        self.sign, self.ends, self.values, self.states = strata.sign, strata.ends, strata.values, strata.states


@cython.cclass
class Word:
    """p and q after the letters drawn so far, the two columns of ``mass``, and the hidden state that they led to.

    They may have entries at ``count`` states: those from ``base`` on or, if ``base`` is −1, the first of ``states``.
    """

    mass: Reals2
    states: Ints32
    count: i64
    base: i64
    hidden: i64

    def __init__(self, states: int) -> None:
        self.mass, self.states = np.zeros((states, 2)), np.empty(states, np.int32)
        self.count, self.base, self.hidden = 0, -1, -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def member(word: Word, k: i64) -> i64:
    """The k-th state at which there may be an entry."""
    state: i64 = word.states[k] if word.base < 0 else word.base + k
    return state


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stratum_of(starts: Starts, ticket: i64) -> i64:
    """The first stratum whose end is above the ticket."""
    low: i64 = 0
    high: i64 = len(starts.ends)
    while low < high:
        middle = (low + high) // 2
        if starts.ends[middle] <= ticket:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def start_word(rows: FloatRows, starts: Starts, stratum: i64, ticket: i64, word: Word) -> i64:
    """Write p and q of a stratum, turned so that p is the smaller one, and the hidden state that the ticket draws."""
    spot = starts.spot[stratum]
    low = rows.first[starts.label[stratum]]
    word.count, word.base, word.hidden = 0, -1, -1
    for e in range(starts.length[stratum]):
        value = starts.sign[stratum] * starts.values[starts.begin[stratum] + e]
        if value == 0:
            continue
        state: i64 = low + e if spot < 0 else starts.states[spot + e]
        word.states[word.count] = state
        word.count += 1
        if value > 0:
            word.mass[state, 0] = value
            # The ticket is uniform below |p|, the stratum's gap, so that states are drawn in proportion to p.
            if word.hidden < 0 and ticket < value:
                word.hidden = state
            ticket -= value
        else:
            word.mass[state, 1] = -value
    return word.count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_hidden(rows: FloatRows, bar: ConstInts, hidden: i64, bits: i64) -> i64:
    """The next hidden state; −1 if the bits do not decide."""
    arc = rows.start[hidden]
    while bits > bar[arc]:
        arc += 1
    # On a tie the true border between two arcs lies inside the cell of these bits: to pick a side would bend the law of
    # the words.
    return -1 if bits == bar[arc] else rows.target[arc]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def power_to_one(p: f64) -> f64:
    """The power of two that brings a positive number to at least 1/2 and below 1."""
    # A power of two, so that scaling by it rounds nothing (short of underflow).
    scale: f64 = 1.0
    while p * scale >= 1.0:
        scale *= 0.5
    while p * scale < 0.5:
        scale *= 2.0
    return scale


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_letter(rows: FloatRows, label: i64, scale: f64, word: Word, sums: FloatSums) -> i64:
    """One letter: p and q, scaled, after a step to the states of ``label``; the arcs visited.

    States are listed while they are few; where many are reached, all of a label are gone through in turn.
    """
    low, high = rows.first[label], rows.first[label + 1]
    # Once the states of a label are gone through as a whole, it stays so: which of them are 0 is not known any more.
    sums.listed = word.base < 0 and SPARSE * word.count < high - low
    sums.count = 0
    arcs: i64 = 0
    for k in range(word.count):
        state = member(word, k)
        p, q = word.mass[state, 0] * scale, word.mass[state, 1] * scale
        if p != 0.0 or q != 0.0:
            word.mass[state, 0] = 0.0
            word.mass[state, 1] = 0.0
            arcs += send_floats(rows, state, p, q, low, high, sums)
    for k in range(sums.count):
        sums.seen[sums.reached[k]] = 0
    word.count = sums.count if sums.listed else high - low
    word.base = -1 if sums.listed else low
    # What has arrived is the word's, and its arrays, all 0 again, are for the next letter.
    word.mass, sums.value = sums.value, word.mass
    word.states, sums.reached = sums.reached, word.states
    return arcs


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def masses(word: Word) -> Masses:
    """|p| and |q|."""
    p: f64 = 0.0
    q: f64 = 0.0
    for k in range(word.count):
        state = member(word, k)
        p += word.mass[state, 0]
        q += word.mass[state, 1]
    return p, q


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_statistics(
    word: Word, p: f64, q: f64, scales: ConstReals2, error: f64, number: i64, below: Reals2, beyond: Reals2
) -> f64:
    """Write both statistics for each (α above, α below), rounded inward; how far they are apart at worst."""
    if not p > 0.0:  # all of it has vanished: `draw_words` gives the word up
        return 1.0
    apart: f64 = 0.0
    for a in range(scales.shape[0]):
        over: f64 = 0.0
        for k in range(word.count):
            state = member(word, k)
            over += max(word.mass[state, 0] - scales[a, 1] * word.mass[state, 1], 0.0)
        # (|p| − α|q|)^+ ≤ V(p − αq) ≤ |(p − αq)^+|, both over |p| (docs/theory/sampling.md). The lower one takes the α
        # above, the upper one the α below.
        least: f64 = 1.0 - scales[a, 0] * q / p
        most: f64 = over / p
        apart = max(apart, most - max(least, 0.0))
        below[number, a] = max(least - error, 0.0)
        beyond[number, a] = max(1.0 - most - error, 0.0)
    return apart


def draw_words(steps: Steps, strata: Strata, draft: Draft, out: Draws) -> None:
    """A word for each ticket of the draft; what they say and what they took is written to ``out``, which is zero."""
    rows = FloatRows(steps, steps.chance)
    starts = Starts(strata)
    word = Word(len(steps.label))
    sums = FloatSums(len(steps.label))
    bar: ConstInts = steps.bar
    tickets: ConstInts = draft.tickets
    bits: ConstInts2 = draft.bits
    scales: ConstReals2 = draft.scales
    tolerance: f64 = draft.tolerance
    error: f64 = draft.error
    checkpoints: ConstInts = draft.checkpoints
    below: Reals2 = out.below
    beyond: Reals2 = out.beyond
    apart_at: Reals2 = out.apart
    visited: Ints = out.arcs
    lengths: Ints = out.letters
    horizon: i64 = bits.shape[1]
    with cython.nogil:
        for number in range(len(tickets)):
            stratum = stratum_of(starts, tickets[number])
            before: i64 = starts.ends[stratum - 1] if stratum > 0 else 0
            start_word(rows, starts, stratum, tickets[number] - before, word)
            letters: i64 = 0
            marked: i64 = 0
            p, q = masses(word)
            apart = write_statistics(word, p, q, scales, error, number, below, beyond)
            while letters < horizon and apart > tolerance:
                word.hidden = next_hidden(rows, bar, word.hidden, bits[number, letters])
                in_range: flag = p > 1.0 / OVERFLOW and p < OVERFLOW and q < OVERFLOW * p
                if word.hidden < 0 or not in_range:
                    # A word that is given up says that its statistic is between 0 and 1, which is always true.
                    for a in range(scales.shape[0]):
                        below[number, a] = 0.0
                        beyond[number, a] = 0.0
                    break
                visited[number] += read_letter(rows, rows.label[word.hidden], power_to_one(p), word, sums)
                letters += 1
                p, q = masses(word)
                # With many scales the statistics cost more than the letter: they are computed less often.
                often: flag = scales.shape[0] == 1 or letters & (letters - 1) == 0 or letters % 16 == 0
                if letters == horizon or often:
                    apart = write_statistics(word, p, q, scales, error, number, below, beyond)
                while marked < len(checkpoints) and checkpoints[marked] <= letters:
                    apart_at[number, marked] = apart
                    marked += 1
            for c in range(marked, len(checkpoints)):
                apart_at[number, c] = apart
            for k in range(word.count):
                state = member(word, k)
                word.mass[state, 0] = 0.0
                word.mass[state, 1] = 0.0
            lengths[number] = letters
