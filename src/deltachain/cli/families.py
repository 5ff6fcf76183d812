"""MODEL as a family: what ``--set NAME=VALUES`` means, and a function from values to a chain that can travel.

The parameters of an example are its own; those of a program, and of a PRISM or JANI model, are its constants. A model
file travels with its content, so that workers on other machines need no copy of it.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..files import STANDARD, open_regular
from ..model import Chain
from .front_ends import EXAMPLE, PROGRAM, reading_options
from .hiding import hiding_options
from .options import load_model
from .values import values_of

LARGEST_FILE = 200_000_000
WITH_CONSTANTS = (".prism", ".pm", ".nm", ".sm", ".jani")
"""Suffixes of models that have constants."""


@dataclass(frozen=True)
class ModelFamily:
    """The chain of MODEL with some parameters set."""

    options: tuple[tuple[str, Any], ...]
    """The command's options, those that say how the model is read among them."""
    files: tuple[tuple[str, bytes], ...] = ()
    """The model's files, as they were where the command was given: path and content."""

    @property
    def identity(self) -> dict[str, Any]:
        """MODEL, the content of its files, and how it is read: what the journal of a sweep says of it."""
        args = argparse.Namespace(**dict(self.options))
        file, colon, name = _split(args.model)
        chosen = [args.from_states, args.to_states]
        contents = self.files or (() if args.model.startswith(EXAMPLE) else tuple(_contents(Path(file))))
        return {
            "model": args.model if args.model.startswith(EXAMPLE) else f"{Path(file).name}{colon}{name}",
            "files": [hashlib.sha256(content).hexdigest() for _, content in contents],
            "read": [*reading_options(args), *hiding_options(args)],
            "from_to": chosen if any(chosen) else None,
        }

    def __call__(self, **parameters: Any) -> Chain:
        """Read the model; InputError as ever."""
        args = argparse.Namespace(**dict(self.options), quiet=True, progress=None)
        if not self.files or all(_same(Path(path), content) for path, content in self.files):
            return _loaded(args, parameters)
        with tempfile.TemporaryDirectory(prefix="deltachain-") as folder:
            for path, content in self.files:
                (Path(folder) / Path(path).name).write_bytes(content)
            file, colon, name = _split(args.model)
            args.model = f"{Path(folder) / Path(file).name}{colon}{name}"
            return _loaded(args, parameters)


def _same(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


def _loaded(args: argparse.Namespace, parameters: dict[str, Any]) -> Chain:
    if args.model.startswith(EXAMPLE):
        name, *settings = args.model.removeprefix(EXAMPLE).split(",")
        kept = [text for text in settings if text.partition("=")[0].strip() not in parameters]
        args.model = EXAMPLE + ",".join([name, *kept, *(f"{key}={value}" for key, value in parameters.items())])
    elif parameters:
        given = [] if args.constants is None else args.constants.split(",")
        kept = [text for text in given if text.partition("=")[0].strip() not in parameters]
        args.constants = ",".join([*kept, *(f"{key}={value}" for key, value in parameters.items())])
    return load_model(args, Cancel()).chain


def _split(source: str) -> tuple[str, str, str]:
    """The file of MODEL, and what follows it."""
    file, colon, name = source.rpartition(":")
    return (file, colon, name) if colon and file.endswith(PROGRAM) else (source, "", "")


def family_of(args: argparse.Namespace, names: Sequence[str], *, travels: bool) -> ModelFamily:
    """MODEL as a family; InputError for parameters that it cannot have. ``travels``: take the files along."""
    source: str = args.model
    if source == STANDARD:
        raise InputError(Defect("MODEL", "standard input can be read once only", "save it to a file"))
    options = tuple(
        (name, value)
        for name, value in vars(args).items()
        if (value is None or isinstance(value, str | int | list)) and name not in ("quiet", "progress")
    )
    if source.startswith(EXAMPLE):
        _refuse_unknown(source, names)
        return ModelFamily(options)
    file, colon, _ = _split(source)
    if names and not colon and not file.lower().endswith(WITH_CONSTANTS):
        what = f"{source} has no parameters to set"
        raise InputError(Defect("--set", what, "give an example, a program, or a PRISM or JANI model"))
    return ModelFamily(options, tuple(_contents(Path(file))) if travels else ())


def _refuse_unknown(source: str, names: Sequence[str]) -> None:
    from ..examples import catalogue

    wanted = source.removeprefix(EXAMPLE).partition(",")[0].strip()
    known = {example.name: [key for key, _ in example.parameters] for example in catalogue()}
    defects = [
        Defect("--set", f"{wanted} has no parameter {name!r}", f"parameters are {', '.join(known[wanted])}")
        for name in names
        if wanted in known and name not in known[wanted]
    ]
    if defects:
        raise InputError(defects)


def _contents(path: Path) -> list[tuple[str, bytes]]:
    """The file, and those that share its stem where a format has several."""
    paths = [path]
    if path.suffix == ".tra":
        paths += [other for suffix in (".lab", ".sta") if (other := path.with_suffix(suffix)).exists()]
    found = []
    for each in paths:
        with open_regular(each, LARGEST_FILE) as file:
            found.append((str(each), file.read(LARGEST_FILE)))
    return found


def settings_of(texts: Sequence[str]) -> dict[str, list[str | int]]:
    """``--set NAME=VALUES``, each name once; InputError with every defect."""
    found: dict[str, list[str | int]] = {}
    defects: list[Defect] = []
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier():
            defects.append(Defect("--set", f"{text!r} is not a setting", "write NAME=1,2,3 or NAME=0.4:0.5:0.01"))
        elif name in found:
            defects.append(Defect("--set", f"{name} is given twice", "give all its values at once"))
        else:
            try:
                found[name] = [_whole_or_text(value) for value in values_of(values, f"--set {name}")]
            except InputError as error:
                found[name] = []
                defects += error.defects
    if defects:
        raise InputError(defects)
    return found


def _whole_or_text(value: str) -> str | int:
    """Whole numbers as such, for who reads the rows; all else as it was typed."""
    return int(value) if value.isascii() and value.isdecimal() and str(int(value)) == value else value
