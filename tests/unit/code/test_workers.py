"""Code in processes of its own: whatever it does there ends with an answer, and this process is as it was."""

# ruff: noqa: ARG005, SIM105 - code with a secret that it does not look at is code too; what is swallowed is the point

from __future__ import annotations

import asyncio
import ctypes
import logging
import multiprocessing
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.code import CodeRefused, from_code, replay
from deltachain.code.server import Limits, can_fork
from deltachain.errors import InputError, Stopped
from tests.words import refuses, says

pytestmark = pytest.mark.skipif(not can_fork(), reason="no forks here")

SECRETS = [{"x": 0}, {"x": 1}]
LOG = logging.getLogger(__name__)


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that honest code of these tests is far from, however slow the machine; some of it never answers."""
    monkeypatch.setattr(replay, "Limits", lambda: Limits(seconds=60.0, megabytes=150))


def loops(x: int) -> NoReturn:
    while True:
        pass


def sleeps(x: int) -> None:
    time.sleep(1_000)


def swallows(x: int) -> NoReturn:
    while True:
        try:
            time.sleep(60)
        except BaseException:  # noqa: S110 - that is what is tried
            pass


def exits(x: int) -> None:
    os._exit(0)


def crashes(x: int) -> None:
    ctypes.string_at(0)


def aborts(x: int) -> None:
    os.abort()


def ends_itself(x: int) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def ends_its_server(x: int) -> int:
    os.kill(os.getppid(), signal.SIGKILL)
    return x


def closes_everything(x: int) -> int:
    os.closerange(3, 256)
    return x


def takes_memory(x: int) -> NoReturn:
    held = []
    while True:
        held.append(bytearray(1 << 22))


def catches_our_limit(x: int) -> str:
    try:
        takes_memory(x)
    except MemoryError:
        return "out of memory"


def prints_without_end(x: int) -> NoReturn:
    while True:
        print("flood" * 1_000)


def forks(x: int) -> int:
    return os.fork()


def forks_and_catches(x: int) -> int:
    try:
        os.fork()
    except BaseException:  # noqa: S110 - that is what is tried
        pass
    return 0


def forks_without_end(x: int) -> NoReturn:
    while True:
        try:
            os.fork()
        except Exception:  # noqa: S110 - that is what is tried
            pass


def starts_processes_without_end(x: int) -> NoReturn:
    while True:
        try:
            subprocess.Popen(["true"])
        except Exception:  # noqa: S110 - that is what is tried
            pass


def runs_a_command(x: int) -> int:
    try:
        subprocess.run(["true"], check=False)
    except BaseException:  # noqa: S110 - that is what is tried
        pass
    return 0


def asks_a_shell(x: int) -> int:
    return os.system("true")  # noqa: S605 - that is what is tried


def spawns(x: int) -> int:
    return os.posix_spawn("/bin/true", ["true"], {})


def becomes_another(x: int) -> NoReturn:
    os.execv("/bin/true", ["true"])  # noqa: S606 - that is what is tried


def has_a_terminal(x: int) -> int:
    return pty.spawn(["true"])


def works_in_a_fresh_process(x: int) -> None:
    multiprocessing.get_context("spawn").Process(target=int).start()


def works_in_a_forked_process(x: int) -> None:
    multiprocessing.get_context("fork").Process(target=int).start()


def reads_input(x: int) -> str:
    try:
        return input()
    except BaseException:
        return "end of file"


def recurses(x: int) -> Any:
    return [recurses(x)]


ENDS: list[tuple[Callable[..., Any], str]] = [
    (loops, "gives no answer for 0.5 s"),
    (sleeps, "gives no answer for 0.5 s"),
    (swallows, "gives no answer for 0.5 s"),
    (prints_without_end, "gives no answer for 0.5 s"),
    (exits, r"the process exits with 0 before the function is over \(let the function return: no os._exit"),
    (crashes, "ended by SIGSEGV"),
    (aborts, "ended by SIGABRT"),
    (ends_itself, "ended by SIGTERM"),
    (ends_its_server, "ended the server that starts its processes"),
    (closes_everything, "the process exits with 1"),
    (takes_memory, "takes more than 150 MB"),
    (catches_our_limit, "takes more than 150 MB"),
    (forks, "the code forks"),
    (forks_and_catches, "the code forks"),
    (forks_without_end, "gives no answer for 0.5 s"),
    (starts_processes_without_end, "gives no answer for 0.5 s"),
    (runs_a_command, r"starts a process \(subprocess.Popen\).*start it before, and give its result as an argument"),
    (asks_a_shell, r"starts a process \(os.system\)"),
    (spawns, r"starts a process \(os.posix_spawn\)"),
    (becomes_another, r"starts a process \(os.exec\)"),
    (has_a_terminal, r"starts a process \(pty.spawn\)"),
    (works_in_a_fresh_process, r"starts a process \(fork_exec\)"),
    (works_in_a_forked_process, "the code forks"),
    (reads_input, "reads standard input"),
]


def children() -> list[str]:
    """The processes that this one has started, zombies included."""
    return sorted(pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split())


@pytest.mark.parametrize(("code", "message"), ENDS, ids=lambda value: getattr(value, "__name__", ""))
def test_code_that_ends_or_hangs_is_refused_and_this_process_goes_on(
    code: Callable[..., Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    hangs = message.startswith("gives no answer")
    if hangs:
        monkeypatch.setattr(replay, "Limits", lambda: Limits(seconds=0.5, megabytes=150))
    for errors in ("raise",) if hangs else ("raise", "announce"):
        with pytest.raises(CodeRefused, match=message):
            from_code(code, SECRETS, errors=errors)  # type: ignore[arg-type]
    assert children() == before


def test_a_limit_is_no_letter() -> None:
    with refuses(CodeRefused, "raises RecursionError, whose"):
        from_code(recurses, SECRETS, errors="announce")
    with pytest.raises(RecursionError):
        from_code(recurses, SECRETS)

    def raises(x: int) -> NoReturn:
        raise MemoryError

    with pytest.raises(CodeRefused, match="raises MemoryError"):
        from_code(raises, SECRETS, errors="announce")


@pytest.mark.parametrize("code", [loops, sleeps, swallows, takes_memory, prints_without_end])
def test_a_deadline_ends_code_from_outside(code: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "Limits", lambda: Limits(seconds=1_000.0, megabytes=1 << 20))
    with refuses(Stopped, "reached while running"):
        from_code(code, SECRETS, timeout=0.3)


def test_an_interrupt_ends_code_from_outside() -> None:
    cancel = Cancel()
    threading.Timer(0.2, cancel.interrupt).start()
    with refuses(Stopped, "interrupted while running"):
        from_code(sleeps, SECRETS, cancel=cancel)


def test_what_the_first_call_prints_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    def code(x: int) -> int:
        print("to standard output")
        sys.stderr.write("to standard error\n")
        os.write(1, b"beneath it\n")
        return 0

    print("before", end=" ", flush=False)
    from_code(code, SECRETS)
    print("after")
    out, err = capfd.readouterr()
    assert all(out.count(text) == 1 for text in ("before", "to standard output", "beneath it", "after"))
    assert err == "to standard error\n"


def test_a_flood_of_output_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    def code(x: int) -> int:
        for _ in range(200):
            print("z" * 10_000)
        LOG.warning("logged")
        return 0

    assert "0" in from_code(code, SECRETS).labels
    assert 1_000 <= capsys.readouterr().out.count("z") <= 1 << 16


CAPTURED = """
import logging, sys
import deltachain as dc

def code(x):
    print("seen once")
    logging.getLogger("code").error("logged")
    return 0

def test_it(capsys):
    dc.from_code(code, [dict(x=0), dict(x=1)])
    assert capsys.readouterr().out in ("seen once\\n", "")

def test_again(caplog):
    dc.from_code(code, [dict(x=0), dict(x=1)])
    print("test_again is over")
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["fd", "sys", "no", "tee-sys"])
def test_output_under_the_capture_modes_of_pytest(tmp_path: Path, mode: str) -> None:
    (tmp_path / "test_captured.py").write_text(CAPTURED, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--capture={mode}", "-rP", "-q", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("2 passed") == 1
    assert done.stdout.count("seen once") <= 3
    assert done.stdout.count("test_again is over") <= 2


WITHOUT_FILES = """
import sys
import deltachain as dc
from deltachain.code import replay
from deltachain.code.confirmation import Effort

def code(x):
    return x + dc.discrete_laplace(1)

replay.EFFORT = Effort(processes=4)
if __name__ == "__main__":
    chain = dc.from_code(code, [dict(x=0), dict(x=1)], isolate=sys.argv[2])
    open(sys.argv[1], "w").write(chain.confirmation)
"""


CLOSED = ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]


@pytest.mark.parametrize(
    ("closed", "isolate"),
    [
        *((closed, "fork") for closed in CLOSED),
        *(pytest.param(closed, "spawn", marks=pytest.mark.slow) for closed in CLOSED[:-1]),
        (CLOSED[-1], "spawn"),
    ],
)
def test_a_process_without_input_or_output(tmp_path: Path, closed: str, isolate: str) -> None:
    script, said = tmp_path / "script.py", tmp_path / "said"
    script.write_text(WITHOUT_FILES, "utf-8")
    command = f'exec "$0" "$1" "$2" "$3" {closed}'
    subprocess.run(["sh", "-c", command, sys.executable, str(script), str(said), isolate], check=False)
    assert said.read_text("utf-8") == "code: 2 of 2 runs confirmed"


def test_files_that_are_written_are_said(tmp_path: Path) -> None:
    def code(x: int) -> int:
        (tmp_path / "log").write_text("x", "utf-8")
        return 0

    chain = from_code(code, SECRETS)
    assert any(sentence.startswith(f"the code writes {tmp_path}") for sentence in chain.assumes)


def test_threads_of_the_code_end_with_their_process() -> None:
    def code(x: int) -> int:
        threading.Thread(target=time.sleep, args=(1_000,)).start()
        return 0

    assert "0" in from_code(code, SECRETS).labels


def test_this_process_where_the_code_is_to_run_here() -> None:
    def where(x: int) -> int:
        return os.getpid()

    chain = from_code(where, SECRETS, isolate=False)
    assert str(os.getpid()) in chain.labels
    assert says(chain.confirmation)
    assert says(chain.assumes[0], "has confirmed nothing")
    assert "in this process" in chain.notes[0]
    with pytest.raises(Stopped):
        from_code(sleeps, SECRETS, isolate=False, timeout=0.3)
    with pytest.raises(ZeroDivisionError) as caught:
        from_code(lambda x: 1 // x, SECRETS, isolate=False)
    assert says(caught.value.__notes__[0], "the draws that")


def test_where_nothing_forks_code_runs_in_fresh_interpreters_or_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "can_fork", lambda: False)
    here = from_code(lambda x: 0, SECRETS)
    assert says(here.confirmation)
    with pytest.raises(CodeRefused, match="cannot be forked"):
        from_code(lambda x: 0, SECRETS, isolate="fork")
    with refuses(InputError, "isolate: 'thread' is"):
        from_code(lambda x: 0, SECRETS, isolate="thread")  # type: ignore[arg-type]


DRIVER = """
import os, sys, time
import deltachain as dc

def code(x):
    open(sys.argv[1], "a").write(f"{os.getpid()} {os.getppid()}\\n")
    time.sleep(1000)

dc.from_code(code, [dict(x=0)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_when_the_caller_ends(tmp_path: Path, ending: signal.Signals) -> None:
    driver, pids = tmp_path / "driver.py", tmp_path / "pids"
    driver.write_text(DRIVER, "utf-8")
    process = subprocess.Popen([sys.executable, str(driver), str(pids)], stderr=subprocess.DEVNULL)
    for _ in range(600):
        if pids.exists() and pids.read_text("utf-8").endswith("\n"):
            break
        time.sleep(0.05)
    process.send_signal(ending)
    process.wait(30)
    left = [int(pid) for line in pids.read_text("utf-8").splitlines() for pid in line.split()]
    assert left
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in left):
            break
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in left)


def test_a_chain_inside_of_a_running_event_loop() -> None:
    async def two() -> int:
        await asyncio.sleep(0)
        return 0

    async def main() -> dc.Chain:
        return from_code(lambda x: asyncio.run(two()), SECRETS)

    assert "0" in asyncio.run(main()).labels


def test_a_chain_from_a_thread() -> None:
    found: list[dc.Chain] = []
    thread = threading.Thread(target=lambda: found.append(from_code(lambda x: dc.flip("1/3"), SECRETS)))
    thread.start()
    thread.join()
    assert found[0].confirmation == "code: 4 of 4 runs confirmed"


def many_draws(x: int) -> int:
    return x + sum(dc.uniform(0, 99) for _ in range(6))


def test_who_stops_is_told_which_draws_multiply() -> None:
    # It has 10^12 runs, and is interrupted at the first sign of life that knows a whole path.
    def interrupt(text: str) -> None:
        if "multiply" in text:
            cancel.interrupt()

    cancel = Cancel(report=interrupt)
    with pytest.raises(Stopped, match=r"calls; draws on one path multiply: .*: more than 10\^12 outcomes"):
        dc.from_code(many_draws, [{"x": 0}, {"x": 1}], cancel=cancel)
