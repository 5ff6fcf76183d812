"""The hash of what belongs together, which compiled and uncompiled sources share."""

from __future__ import annotations

from random import Random

from deltachain.kernels.hashing import ALL_BITS, FIRST_HASH, HASH_FACTOR, mix


def test_known_values() -> None:
    """By hand: ((h xor w) · prime mod 2^64), then folded by 29 bits."""
    assert (FIRST_HASH, HASH_FACTOR) == (0xCBF29CE484222325, 0x100000001B3)
    wanted = (0xCBF29CE484222325 * 0x100000001B3) % 2**64
    assert mix(FIRST_HASH, 0) == wanted ^ (wanted >> 29)
    assert mix(0, 0) == 0
    assert mix(0, 1) == HASH_FACTOR ^ (HASH_FACTOR >> 29)


def test_a_step_loses_nothing() -> None:
    """Xor, an odd factor and a fold are each one to one: equal hashes of one word come from equal hashes."""
    random = Random(1)
    inverse = pow(HASH_FACTOR, -1, 2**64)
    for _ in range(200):
        before, word = random.getrandbits(64), random.getrandbits(64)
        mixed = mix(before, word)
        assert 0 <= mixed <= ALL_BITS
        unfolded = mixed ^ (mixed >> 29) ^ (mixed >> 58)
        assert (unfolded * inverse) % 2**64 ^ word == before


def test_the_order_of_words_matters() -> None:
    assert mix(mix(FIRST_HASH, 1), 2) != mix(mix(FIRST_HASH, 2), 1)
