"""Model files, mutated byte by byte and field by field, in every format that is read.

Whatever the bytes, `load` gives a chain or raises InputError, and does so soon; a chain that it gives can be written in
the native format and comes back equal, there and in the trusted checker. ``CASES`` is a case for each way of mutating
a format; ``run(random)`` mutates one file and raises AssertionError, or whatever `load` raised, when that fails.
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import string
import tarfile
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from deltachain import examples, load
from deltachain.errors import InputError
from deltachain.formats import save
from deltachain.formats.native import chain_from_json, chain_to_json
from deltachain.model import Chain
from deltachain_checker_v1.read import parse, read_model

__all__ = ["CASES", "FileCase"]

SECONDS = 2
"""Of this process' time, for reading one small file."""

STORM_SECONDS = 100
"""Of the clock, where Storm is started in a process of its own."""

Files = dict[str, bytes]
Mutate = Callable[[Files, Random], None]

ODD = Chain.from_dicts(
    {"s é": {"s é": "1/3", "t\n": "2/3"}, "t\n": {"t\n": "0.25", '"u,': "0.75"}, '"u,': {'"u,': 1}},
    {"s é": "a", "t\n": "", '"u,': "a b"},
    relation=[("s é", "t\n")],
    valuations={"s é": {"x": -3, "on": True, "text": "(,)"}, "t\n": {"x": 10**30}, '"u,': {}},
)
BOX = Chain.from_dicts(
    {
        "s": {"look in": {"h": "1/3", "s": "2/3"}, "1": {"s": 1}, "é": {"r": "0.25", "h": "0.75"}},
        "r": {"look in": {"h": 1}, "1": {"r": 1}, "é": {"s": 1}},
        "h": {"h": 1},
        "g": {"go": {"g": "1/2", "s": "1/2"}},
    },
    {"s": "closed", "r": "closed", "h": "", "g": "a b"},
    relation=[("s", "r")],
)
WORDS = (
    "0", "1", "-1", "1/0", "1/2", "0.5", "1e-3", "1e50000", "9" * 400, "2/4", "NaN", "", " ", "state", "@model",
    "label", "to", "on", "init", "action", "action x", "__NOLABEL__", "look in",
    "@type: MDP", "[a]", "[]", "deadlock",
    "18446744073709551615", "-0", "+1", ".5", "0x1", "é", "\u202e", "\0", '"', "(",
    ")", "[", "{", ":", ",", "//", "true", "null", "1,2", "$p", "s0", "x'=x+1", "1/(x-x)", "endmodule", "dtmc", "mdp",
    "const int N = 9;", "[0..1000000000]",
)  # fmt: skip


def models() -> list[Chain]:
    """Small chains with names, relations and valuations of all kinds."""
    return [examples.coin(), examples.dining_cryptographers(n=2), ODD, BOX, examples.lockout()]


PRISM = b"""dtmc
const double p = 1/3; const int N = 3;
module m
  x : [0..N] init 0; b : bool init false;
  [] x<N & !b -> p : (x'=x+1) + 1-p : (x'=0)&(b'=true);
  [] x=N | b -> true;
endmodule
label "up" = x>1; label "b" = b;
"""
MDP = b"""mdp
const int N = 2;
module m
  x : [0..N]; s : bool;
  [low] x<N -> 1/3 : (x'=x+1) + 2/3 : (x'=0);
  [high] x<N -> (s ? 1/4 : 3/4) : (x'=N) + (s ? 3/4 : 1/4) : (x'=0);
  [] x=N -> true;
endmodule
init x=0 endinit
label "end" = x=N;
"""


@cache
def written(suffix: str, number: int) -> tuple[tuple[str, bytes], ...]:
    """The files of a model, written by ourselves; for ``umb``, the members of the archive."""
    with tempfile.TemporaryDirectory() as folder:
        chain = models()[number]
        if suffix in ("drn", "tra") and chain is ODD:
            chain = Chain.of_rows(chain.states, ("a", "", "a b"), chain.rows, chain.relation, chain.valuations)
        save(chain, Path(folder) / f"m.{suffix}")
        if suffix == "umb":
            with tarfile.open(Path(folder) / "m.umb") as archive:
                opened = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
                return tuple((name, file.read()) for name, file in opened if file is not None)
        return tuple(sorted((path.name, path.read_bytes()) for path in Path(folder).iterdir()))


def sources(suffix: str, random: Random) -> Files:
    """The files of one model of the format."""
    if suffix == "prism":
        return {"m.prism": random.choice((PRISM, MDP))}
    if suffix == "jani":
        return {"m.jani": _jani(random.choice((PRISM, MDP)))}
    # .tra files hold no inputs; the other formats are mutated with and without.
    return dict(written(suffix, random.randrange(3 if suffix == "tra" else 5)))


@cache
def _jani(text: bytes) -> bytes:
    import stormpy

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.prism").write_bytes(text)
        program = stormpy.parse_prism_program(str(Path(folder) / "m.prism"))
        stormpy.io.export_jani_to_file(str(Path(folder) / "m.jani"), program.to_jani([])[0])
        return (Path(folder) / "m.jani").read_bytes()


# Ways to mutate.


def mutate_bytes(files: Files, random: Random) -> None:
    """Change, insert, delete, repeat or swap a few bytes of one file."""
    name = random.choice(sorted(files))
    data = bytearray(files[name])
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        place = random.randrange(len(data) + 1)
        size = random.choice((1, 1, 2, 8, 40))
        how = random.randrange(5)
        if how == 0 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        elif how == 1:
            data[place:place] = random.randbytes(size)
        elif how == 2:
            del data[place : place + size]
        elif how == 3:
            data[place:place] = data[place : place + size]
        else:
            data[place : place + size] = bytes([random.choice((0, 1, 127, 128, 255))]) * size
    files[name] = bytes(data)


def mutate_words(files: Files, random: Random) -> None:
    """Replace, drop, repeat or move words of one file."""
    name = random.choice(sorted(files))
    text = files[name].decode(errors="surrogateescape")
    separators = random.choice((" \n\t", " \n\t,:()[]{}", string.whitespace + string.punctuation))
    pieces = _split(text, separators)
    for _ in range(random.choice((1, 1, 2, 4))):
        place = random.randrange(len(pieces))
        how = random.randrange(4)
        if how == 0:
            pieces[place] = random.choice(WORDS)
        elif how == 1:
            pieces[place] = ""
        elif how == 2:
            pieces[place] *= random.choice((2, 3, 300))
        else:
            other = random.randrange(len(pieces))
            pieces[place], pieces[other] = pieces[other], pieces[place]
    files[name] = "".join(pieces).encode(errors="surrogateescape")


def _split(text: str, separators: str) -> list[str]:
    pieces, current = [], ""
    for character in text:
        if character in separators:
            pieces += [current, character]
            current = ""
        else:
            current += character
    return [*pieces, current]


def mutate_json(files: Files, random: Random) -> None:
    """Replace, drop, rename or move fields of a JSON file."""
    names = [name for name in sorted(files) if name.endswith(("json", "jani"))]
    name = random.choice(names)
    document: Any = json.loads(files[name].decode("utf-8-sig"))
    for _ in range(random.choice((1, 1, 2, 3))):
        document = _mutated(document, random)
    files[name] = json.dumps(document, ensure_ascii=random.random() < 0.5).encode(errors="replace")


def _mutated(value: Any, random: Random) -> Any:
    if isinstance(value, dict) and value and random.random() < 0.8:
        key = random.choice(sorted(value))
        how = random.randrange(6)
        if how == 0:
            return {k: v for k, v in value.items() if k != key}
        if how == 1:
            return {(random.choice(WORDS) if k == key else k): v for k, v in value.items()}
        return value | {key: _mutated(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:
        place = random.randrange(len(value))
        how = random.randrange(5)
        if how == 0:
            return value[:place] + value[place + 1 :]
        if how == 1:
            return value + [value[place]] * random.choice((1, 100))
        return [*value[:place], _mutated(value[place], random), *value[place + 1 :]]
    numbers = (0, 1, -1, 2, 0.5, 1e308, 2**32, 2**60, 2**64 - 1, 2**64, 10**400, float("nan"))
    return random.choice((*numbers, *WORDS, None, True, False, [], {}, [value], {"a": value}, [[value]] * 50))


def mutate_members(files: Files, random: Random) -> None:
    """Drop, rename, empty, lengthen or exchange members of an archive."""
    name = random.choice(sorted(files))
    how = random.randrange(5)
    if how == 0:
        del files[name]
    elif how == 1:
        files[random.choice(("x", "../x", "/x", "index.json", f"./{name}", "é" * 200))] = files.pop(name)
    elif how == 2:
        files[name] = b""
    elif how == 3:
        files[name] *= random.choice((2, 100, 100_000 // (len(files[name]) or 1) + 1))
    else:
        files[name] = files[random.choice(sorted(files))]


def mutate_integers(files: Files, random: Random) -> None:
    """Replace some of the 64-bit words of a binary member."""
    name = random.choice([name for name in sorted(files) if name.endswith(".bin") and len(files[name]) >= 8])
    for _ in range(random.choice((1, 1, 3))):
        place = 8 * random.randrange(len(files[name]) // 8)
        value = random.choice((0, 1, 2, 3, 255, 2**31, 2**32, 2**63, 2**64 - 1, random.randrange(40)))
        files[name] = files[name][:place] + value.to_bytes(8, "little") + files[name][place + 8 :]


def packed(members: Files, random: Random, *, outside: bool) -> bytes:
    """The archive of the members, packed or not; ``outside`` mutates the archive itself."""
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer, mode="w", format=random.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    ) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    files = {"m.umb": buffer.getvalue()}
    if outside:
        mutate_bytes(files, random)
    if random.random() < 0.5:
        files = {"m.umb": gzip.compress(files["m.umb"], 1)}
        if outside and random.random() < 0.5:
            mutate_bytes(files, random)
    return files["m.umb"]


# The cases.


@dataclass(frozen=True)
class FileCase:
    """One way of mutating the files of one format."""

    suffix: str
    how: str
    mutate: Mutate

    @property
    def name(self) -> str:
        return f"files {self.suffix} {self.how}"

    def run(self, random: Random) -> None:
        """Mutate one file and read it."""
        files = sources(self.suffix, random)
        if self.how != "archive":
            self.mutate(files, random)
        if self.suffix == "umb":
            files = {"m.umb": packed(files, random, outside=self.how == "archive")}
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                (Path(folder) / name).write_bytes(content)
            self._read(Path(folder) / f"m.{self.suffix}", random)

    def _read(self, path: Path, random: Random) -> None:
        symbolic = self.suffix in ("prism", "jani")
        settings: dict[str, Any] = {"max_states": 1000} if symbolic else {"normalise": random.random() < 0.5}
        clock = time.monotonic if symbolic else time.process_time
        started = clock()
        try:
            chain = load(path, **settings)
        except InputError as error:
            chain, said = None, str(error)
            assert said, "an error without a word"
        seconds = clock() - started
        assert seconds < (STORM_SECONDS if symbolic else SECONDS), f"{seconds:.1f} s"
        if chain is not None:
            _check_again(chain)


def _check_again(chain: Chain) -> None:
    """The chain goes through the native format, and the trusted checker reads the same one."""
    try:
        text = "".join(chain_to_json(chain))
    except InputError:  # numbers too long to be written
        return
    again = chain_from_json(text, "again")
    assert (again.states, again.labels, again.moves, again.inputs, again.relation) == (
        chain.states,
        chain.labels,
        chain.moves,
        chain.inputs,
        chain.relation,
    )
    assert read_model(parse(text)).sha256() == chain.sha256


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


CASES = [
    *(FileCase(suffix, "bytes", mutate_bytes) for suffix in ("json", "drn", "tra")),
    *(FileCase(suffix, "words", mutate_words) for suffix in ("json", "drn", "tra")),
    FileCase("json", "fields", mutate_json),
]
if _installed("umbi"):
    CASES += [
        FileCase("umb", "bytes", mutate_bytes),
        FileCase("umb", "fields", mutate_json),
        FileCase("umb", "members", mutate_members),
        FileCase("umb", "integers", mutate_integers),
        FileCase("umb", "archive", mutate_bytes),
    ]
if _installed("stormpy"):
    CASES += [
        FileCase("prism", "bytes", mutate_bytes),
        FileCase("prism", "words", mutate_words),
        FileCase("jani", "fields", mutate_json),
    ]
