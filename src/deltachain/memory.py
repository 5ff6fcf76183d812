"""Room in memory, asked for before a library that cannot do without it is imported.

OpenBLAS, which NumPy computes with, ends the whole process where the memory that it maps is refused, with exit code 1:
the code of `deltachain check` for "violated". So a command maps that much before NumPy is imported and gives it back;
where that fails it is MemoryError, like any other. Every thread of OpenBLAS has a buffer and a stack of its own, and
matrices here are small: a command runs it with one thread, unless the user has said how many.

This is for processes of ours, commands and their workers. Who imports deltachain decides about their process.
"""

from __future__ import annotations

import gc
import importlib.util
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""How many threads OpenBLAS runs: the first of these that is set, else one per core."""

ROOM = {"numpy": 128 * 2**20, "matplotlib": 64 * 2**20}
"""What a library maps: NumPy with OpenBLAS's code and buffers for one thread, Matplotlib with its fonts."""

ROOM_PER_THREAD = 40 * 2**20
"""What OpenBLAS maps for each further thread: a buffer, and its stack."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Within the block nothing looks for circles of references.

    A document or a model and what is read from it are millions of small lists and dicts that all stay, and have no
    circles. Going through them again and again takes longer than to read them: 100 MB in 1.4 s instead of 6.8 s.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def require_room(size: int) -> None:
    """Raise MemoryError unless that many bytes can be mapped now; nothing is kept."""
    if not hasattr(mmap, "MAP_PRIVATE"):  # no limits on a process's memory that are set by its user
        return
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        raise MemoryError(f"{size // 2**20} MB more are needed") from None


def guard_imports() -> None:
    """From now on in this process OpenBLAS has one thread, and what is large is imported only where it has room."""
    if not any(name in os.environ for name in THREADS):
        os.environ[THREADS[0]] = "1"
    sys.meta_path.insert(0, _RoomFirst())


class _RoomFirst:
    """Finds nothing itself: raises MemoryError where there is no room for the library that is to be imported."""

    def __init__(self) -> None:
        self._asking = False

    def find_spec(self, fullname: str, *_where: object) -> ModuleSpec | None:
        """The specification that the other finders give, once there is room."""
        if fullname not in ROOM or self._asking:
            return None
        require_room(ROOM[fullname] + (ROOM_PER_THREAD * (_threads() - 1) if fullname == "numpy" else 0))
        if fullname != "numpy":
            return None
        self._asking = True
        try:
            found = importlib.util.find_spec(fullname)
        finally:
            self._asking = False
        if found is not None and found.loader is not None:
            found.loader.exec_module = _then_multiply(found.loader.exec_module)  # type: ignore[method-assign]
        return found


def _then_multiply(load: Any) -> Any:
    """Load NumPy, then multiply matrices: OpenBLAS takes its buffer with the first ones, and keeps it."""

    def load_and_multiply(module: ModuleType) -> None:
        load(module)
        ones = module.ones((2, 2))
        _ = ones @ ones

    return load_and_multiply


def _threads() -> int:
    """The threads that OpenBLAS will run: as many as it is told to, but no more than there are cores."""
    told = next((os.environ[name] for name in THREADS if os.environ.get(name)), "")
    most = os.cpu_count() or 1
    return min(int(told), most) if told.isdecimal() and int(told) > 0 else most
