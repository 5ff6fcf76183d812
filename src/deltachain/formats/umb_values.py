"""Bit vectors and valuations of UMB: fields of any number of bits, packed from the least significant bit on.

The fields of a struct follow each other without gaps, first field in the lowest bits of the little-endian bytes. A
field that may be missing has one bit before its value (below it) that says whether it is there.
"""

from __future__ import annotations

import importlib
from array import array
from typing import Any


def bits_set(data: bytes, size: int) -> array[int]:
    r"""The positions below ``size`` of the bits that are set, least significant bit of each byte first.

    >>> list(bits_set(b"\x05\x80", 16))
    [0, 2, 15]
    """
    found = array("Q")
    for place, byte in enumerate(data):
        if byte:
            found.extend(8 * place + bit for bit in range(8) if byte >> bit & 1 and 8 * place + bit < size)
    return found


def variables_of(data: bytes, struct: Any) -> dict[str, list[object]]:
    """Variable → its value in each state, None where it is missing; ValueError for what cannot be read."""
    names = [field.name for field in struct.attributes]
    if len(set(names)) != len(names):
        raise ValueError("two variables have the same name")
    if not struct.is_byte_aligned or struct.contains_strings:
        raise ValueError("valuations that are not whole bytes, or have texts, are not read")
    found: dict[str, list[object]] = {name: [] for name in names}
    width = struct.size_bytes
    fields = _fields(struct)
    if not width:
        return {}
    for start in range(0, len(data), width):
        for field, shift in fields:
            first = start + shift // 8
            piece = data[first : start + (shift + field.size_bits + 7) // 8]
            found[field.name].append(_value(int.from_bytes(piece, "little") >> shift % 8, field))
    return found


def _fields(struct: Any) -> list[tuple[Any, int]]:
    """The attributes with the bit at which each begins."""
    placed, shift = [], 0
    for field in struct:
        if hasattr(field, "sized_type"):
            placed.append((field, shift))
        shift += field.size_bits
    return placed


def _value(bits: int, field: Any) -> object:
    if field.is_optional:
        if not bits & 1:
            return None
        bits >>= 1
    size = field.sized_type.size_bits
    bits &= (1 << size) - 1
    kind = field.sized_type.type.name
    if kind == "BOOL":
        return bits != 0
    if kind in ("INT", "UINT"):
        signed = kind == "INT" and size and bits >> (size - 1)
        return (bits - (1 << size) if signed else bits) + (field.offset or 0)
    binary, bitstring = importlib.import_module("umbi.binary.scalar"), importlib.import_module("bitstring")
    return binary.bits_to_scalar(bitstring.BitArray(uint=bits, length=size), field.sized_type.type)
