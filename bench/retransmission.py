"""A sender that retries over a lossy channel, in the manner of the bounded retransmission protocol, of any size.

A file of ``frames`` frames is sent one frame at a time. A frame is lost with probability 1/50, its acknowledgement
with probability 1/100; after ``retries`` losses of one frame the sender gives up. States: sending frame i
for the (j+1)-th time, its arrival, and the two ends; 2 × frames × (retries + 1) + 2 in all. An observer sees ``send``,
``arrived``, ``done`` and ``gave-up``, so no two states are bisimilar: they differ in what is left to send or to try.
"""

from __future__ import annotations

from fractions import Fraction

from deltachain import Chain

FRAME_LOST, ACK_LOST = Fraction(1, 50), Fraction(1, 100)


def retransmission(frames: int, retries: int = 2) -> Chain:
    """The chain; its pair is the sender at the start against the sender with one frame behind it."""
    rows: dict[str, dict[str, Fraction]] = {"done": {"done": Fraction(1)}, "gave-up": {"gave-up": Fraction(1)}}
    labels = {"done": "done", "gave-up": "gave-up"}
    for frame in range(frames):
        onward = f"send{frame + 1}.0" if frame + 1 < frames else "done"
        for attempt in range(retries + 1):
            again = f"send{frame}.{attempt + 1}" if attempt < retries else "gave-up"
            sending, arrived = f"send{frame}.{attempt}", f"arrived{frame}.{attempt}"
            rows[sending] = {arrived: 1 - FRAME_LOST, again: FRAME_LOST}
            rows[arrived] = {onward: 1 - ACK_LOST, again: ACK_LOST}
            labels[sending], labels[arrived] = "send", "arrived"
    return Chain.from_dicts(rows, labels, relation=[("send0.0", "send1.0")])
