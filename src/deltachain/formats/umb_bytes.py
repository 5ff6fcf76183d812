"""The bytes of a UMB file: members of an archive, bit vectors, and valuations.

*The archive* is unpacked within limits that are known before anything is unpacked.

A UMB file is a tar archive, plain or compressed by gzip, bzip2 or xz. A megabyte can unpack to gigabytes, so:

- unpacking stops at `FLOOR` bytes or at `RATIO` times the size of the file, whichever is more;
- only members that are asked for are kept, and each only if its header states the length that the index makes it
  have; everything else is skipped without being held;
- nothing is written to disk, and no link, device or sparse member is looked at.

So time and memory are bounded by the size of the file itself.

*Bit vectors and valuations* are fields of any number of bits, packed from the least significant bit on. The fields of a
struct follow each other without gaps, first field in the lowest bits of the little-endian bytes. A field that may be
missing has one bit before its value (below it) that says whether it is there.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import tarfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO  # Any: for types of umbi, which may not be there

from ..errors import Defect, InputError
from ..files import MAX_BYTES, open_regular

FLOOR = 16 * 2**20
RATIO = 64
"""Models repeat themselves; measured ratios are 5 to 30. Those of files made to explode are 1,000 and more."""

INDEX = "index.json"
MAX_INDEX_BYTES = 2**20
MAX_MEMBERS = 10_000

_MAGIC: Mapping[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}


class _Limited(io.RawIOBase):
    """Bytes as they are unpacked, up to a limit; beyond it, InputError."""

    def __init__(self, inner: BinaryIO | io.BufferedIOBase, limit: int, source: str) -> None:
        self._inner, self._limit, self._left, self._source = inner, limit, limit, source

    def read(self, size: int = -1, /) -> bytes:
        """At most ``size`` bytes; tar asks for a number always."""
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        pieces, got = [], 0
        while got < wanted and (piece := self._inner.read(wanted - got)):
            pieces.append(piece)
            got += len(piece)
        self._left -= got
        if self._left < 0:
            what = f"its content is larger than {self._limit} bytes, far more than the file itself"
            raise InputError(Defect(self._source, what, "split the model, or write it as DRN"))
        return b"".join(pieces)


@contextmanager
def _members(path: Path) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes]]]]:
    """The plain files of the archive, in order, each readable until the next is asked for."""
    with open_regular(path, MAX_BYTES) as file:
        start = file.read(6)
        packed = file.seek(0, io.SEEK_END)
        file.seek(0)
        unpack = next((how for magic, how in _MAGIC.items() if start.startswith(magic)), None)
        inner = file if unpack is None else unpack(file)
        limit = min(MAX_BYTES, max(FLOOR, RATIO * packed))
        with tarfile.open(fileobj=_Limited(inner, limit, str(path)), mode="r|") as archive:
            yield _plain_files(archive)


def _plain_files(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    for count, member in enumerate(archive):
        if count >= MAX_MEMBERS:
            raise ValueError(f"more than {MAX_MEMBERS} members")
        archive.members = []  # type: ignore[attr-defined]  # a stream keeps every header that it has passed
        if member.isreg() and not member.issparse():
            opened = archive.extractfile(member)
            if opened is not None:
                yield member, opened


def read_index_bytes(path: Path) -> bytes:
    """The index of the archive; ValueError when there is none or it is too long."""
    with _members(path) as members:
        for member, content in members:
            if member.name == INDEX:
                if member.size > MAX_INDEX_BYTES:
                    raise ValueError(f"{INDEX} is longer than {MAX_INDEX_BYTES} bytes")
                return content.read(member.size)
    raise ValueError(f"there is no {INDEX}")


def read_members(path: Path, lengths: Mapping[str, range]) -> dict[str, bytes]:
    """The members named in ``lengths`` that exist; ValueError when a length is not among those it may have."""
    found: dict[str, bytes] = {}
    with _members(path) as members:
        for member, content in members:
            allowed = lengths.get(member.name)
            if allowed is None:
                continue
            if member.name in found:
                raise ValueError(f"{member.name} is there twice")
            if member.size not in allowed:
                raise ValueError(f"{member.name} has {member.size} bytes; by the index it has {allowed.start}")
            data = content.read(member.size)
            if len(data) != member.size:
                raise ValueError(f"{member.name} is cut short")
            found[member.name] = data
    return found


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
