"""Progress shows nothing early, rewrites one line on a terminal, and leaves nothing behind."""

from __future__ import annotations

import io

from deltachain.cli.progress import Progress
from tests.words import says


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def screen(self) -> str:
        """What one line of a terminal shows after all that was written."""
        cells: list[str] = []
        column = 0
        for character in self.getvalue():
            if character == "\r":
                column = 0
                continue
            cells[column : column + 1] = [character]
            column += 1
        return "".join(cells).rstrip()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_in_the_first_second() -> None:
    clock, terminal = Clock(), Terminal()
    with Progress(stream=terminal, clock=clock) as progress:
        clock.now += 0.9
        progress.update("early")
    assert terminal.getvalue() == ""


def test_a_terminal_line_is_rewritten_and_erased() -> None:
    clock, terminal = Clock(), Terminal()
    with Progress(stream=terminal, clock=clock) as progress:
        clock.now += 1.1
        progress.update("a long first line")
        assert says(terminal.screen())
        clock.now += 0.05
        progress.update("too soon")
        assert says(terminal.screen())
        clock.now += 0.1
        progress.update("short")
        assert terminal.screen() == "short"
    assert terminal.screen() == ""
    assert "\n" not in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()


def test_an_error_erases_the_line_too() -> None:
    clock, terminal = Clock(), Terminal()
    try:
        with Progress(stream=terminal, clock=clock) as progress:
            clock.now += 2
            progress.update("working")
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert terminal.screen() == ""


def test_no_terminal_means_silence_unless_verbose() -> None:
    clock, pipe = Clock(), io.StringIO()
    progress = Progress(stream=pipe, clock=clock)
    clock.now += 5
    progress.update("x")
    assert pipe.getvalue() == ""


def test_verbose_lines_are_at_least_a_second_apart() -> None:
    clock, pipe = Clock(), io.StringIO()
    with Progress(stream=pipe, clock=clock, verbose=True) as progress:
        for tick in range(40):
            clock.now += 0.1
            progress.update(f"step {tick}")
    lines = pipe.getvalue().splitlines()
    assert 2 <= len(lines) <= 4
    assert all(line.startswith("deltachain: step ") for line in lines)


def test_quiet_wins_over_a_terminal() -> None:
    clock, terminal = Clock(), Terminal()
    with Progress(stream=terminal, clock=clock, quiet=True) as progress:
        clock.now += 5
        progress.update("x")
    assert terminal.getvalue() == ""


def test_text_is_made_only_when_shown() -> None:
    clock, made = Clock(), []

    def text() -> str:
        made.append(1)
        return "line one\nline two"

    terminal = Terminal()
    progress = Progress(stream=terminal, clock=clock)
    progress.update(text)
    assert not made
    clock.now += 2
    progress.update(text)
    assert made == [1]
    assert says(terminal.screen())


def test_a_closed_stream_does_not_stop_the_work() -> None:
    clock, terminal = Clock(), Terminal()
    progress = Progress(stream=terminal, clock=clock)
    terminal.close()
    clock.now += 2
    progress.update("x")
    progress.erase()
