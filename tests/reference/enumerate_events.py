"""δ over the events that h letters can decide, by listing every word: exact, and exponential in h.

Among the events that only depend on the first h letters, the best for s against t is the set of the words
with ν_s(C_w) > α ν_t(C_w). So

    lv_h(s, t) = Σ_{|w| = h} max(ν_s(C_w) − α ν_t(C_w), 0),    tv_h = max(lv_h(s, t), lv_h(t, s)).

Both grow with h and converge to lv and tv_α [CMP18, Def. 6]. They are equal to them from the depth on at
which every run is in an absorbing state (or, more generally, shows nothing more that depends on s and t).
The label of the start state is the first letter: depth 1 shows it alone.
"""

from __future__ import annotations

from fractions import Fraction

from deltachain.model import Chain


def word_probabilities(chain: Chain, state: str | int, depth: int) -> dict[tuple[str, ...], Fraction]:
    """Every word of ``depth`` letters with its probability: all paths, added up by what they show."""
    start = chain.number(state)
    paths = {((chain.labels[start],), start): Fraction(1)}
    for _ in range(depth - 1):
        after: dict[tuple[tuple[str, ...], int], Fraction] = {}
        for (word, here), mass in paths.items():
            for target, p in chain.rows[here]:
                key = (*word, chain.labels[target]), target
                after[key] = after.get(key, Fraction(0)) + mass * p
        paths = after
    found: dict[tuple[str, ...], Fraction] = {}
    for (word, _), mass in paths.items():
        found[word] = found.get(word, Fraction(0)) + mass
    return found


def lv_at_depth(chain: Chain, s: str | int, t: str | int, alpha: Fraction, depth: int) -> Fraction:
    """lv_h(s, t) at h = ``depth``; exact, ≤ lv(s, t)."""
    from_s, from_t = (word_probabilities(chain, state, depth) for state in (s, t))
    zero = Fraction(0)
    return sum((max(p - alpha * from_t.get(word, zero), zero) for word, p in from_s.items()), zero)


def tv_alpha_at_depth(chain: Chain, s: str | int, t: str | int, alpha: Fraction, depth: int) -> Fraction:
    """tv_h(s, t) at h = ``depth``; exact, ≤ tv_α(s, t)."""
    return max(lv_at_depth(chain, s, t, alpha, depth), lv_at_depth(chain, t, s, alpha, depth))
