"""Files that a command will write, refused before the work where they could not be written after it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import Defect, InputError
from .model_argument import MODEL
from .options import Asked, Option


def output_file(given: str, place: str) -> Path:
    """A file that can be written; InputError now: hours of work must not end in a lost result."""
    path = Path(given)
    where = f"{place} {path}"
    try:
        if path.is_dir():
            raise InputError(Defect(where, "it is a directory", "give a file name"))
        folder = path.resolve().parent
        if not folder.is_dir():
            raise InputError(Defect(where, "there is no such folder", f"make {folder} first"))
        # A device or pipe is written straight; a file is replaced, which needs its folder.
        _refuse_unwritable(where, path if path.exists() and not path.is_file() else folder, "check its permissions")
    except (OSError, ValueError, RuntimeError) as error:  # a name too long, a null byte, a loop of links
        raise _as_defect(where, error) from None
    return path


def plot_file(given: str, place: str) -> Path:
    """A file that a plot can be written to."""
    from ..results.plots import refuse_suffix

    refuse_suffix(Path(given))
    return output_file(given, place)


def output_folder(given: str, place: str) -> Path:
    """A folder that files can be written to, or that can be made."""
    folder = Path(given)
    where = f"{place} {folder}"
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(Defect(where, "it is not a folder", "give the name of one"))
        parent = folder if folder.exists() else folder.resolve().parent
        if not parent.is_dir():
            raise InputError(Defect(where, f"{parent} cannot be written", "make it first"))
        _refuse_unwritable(where, parent, "make it first")
    except (OSError, ValueError, RuntimeError) as error:
        raise _as_defect(where, error) from None
    return folder


def _refuse_unwritable(where: str, place: Path, fix: str) -> None:
    if not os.access(place, os.W_OK):
        raise InputError(Defect(where, f"{place} cannot be written", fix))


def _as_defect(where: str, error: Exception) -> InputError:
    if isinstance(error, InputError):  # a ValueError itself
        return error
    what = f"it cannot be written: {getattr(error, 'strerror', None) or error}"
    return InputError(Defect(where.replace("\0", "\\0"), what, "correct the path"))


def check_files(asked: Asked, *options: Option[Any]) -> Iterator[Defect]:
    """Two outputs into one file, or one over the model."""
    given = {option.name: path for option in options if (path := asked[option]) is not None}
    places = {name: path.resolve() for name, path in given.items()}
    files = [place for place in places.values() if place.is_file() or not place.exists()]
    if len(set(files)) < len(files):
        yield Defect(" and ".join(given), "the same file", "give each a name of its own")
    try:
        model = Path(asked[MODEL]).resolve()
    except (OSError, ValueError, RuntimeError):
        return
    for name, place in places.items():
        if place == model and place.is_file():
            yield Defect(name, f"{given[name]} is the model", "give another name")
