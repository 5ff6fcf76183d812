"""The explorer's server: who may ask, what may be asked, and what it survives."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain_explore.jobs import HARD_LIMIT
from deltachain_explore.report_request import ReportRequest
from deltachain_explore.worker import SECONDS, answer_request
from tests.cli.command import run
from tests.satellites.explore.serving import Served, explorer
from tests.words import says

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

LONG = {"text": "random,n=52,seed=1", "epsilon": "1/100", "max_nodes": "10000000"}

SOON = """
import sys
from deltachain_explore import jobs
live = "from deltachain_explore import worker; worker.LIVE_SECONDS = 0.5; worker.main()"
jobs.WORKER = (sys.executable, "-P", "-c", live)
"""
"""What is asked while somebody types ends after half a second, not after five."""

PROGRAM = """
from deltachain import program, flip, announce

open("ran", "w").write("this must not run")

@program
def one(x):
    if flip("1/4"):
        announce(x)
    else:
        announce(1 - x)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder, before = tmp_path_factory.mktemp("served"), Path.cwd()
    os.chdir(folder)
    with explorer(settings=SOON) as served:
        os.chdir(before)
        yield served
        assert served.process.poll() is None, "it survived everything"
    assert served.process.returncode == 0


def test_it_listens_on_the_loopback_interface_alone(server: Served) -> None:
    own = socket.gethostbyname(socket.gethostname())
    if own.startswith("127."):
        pytest.skip("this machine has no other address")
    with socket.socket() as other:
        other.settimeout(2)
        assert other.connect_ex((own, server.port)) != 0


def test_only_requests_with_the_token_the_host_and_the_origin_pass(server: Served) -> None:
    assert server.request("GET", "/")[0] == 200
    for refused in (
        server.request("GET", "/", token=""),
        server.request("GET", "/", token=server.token[:-1]),
        server.request("GET", "/", Host="evil.example"),
        server.request("GET", "/", Host=f"evil.example:{server.port}"),
        server.request("POST", "/run", b"{}", Origin="http://evil.example"),
        server.request("POST", "/run", b"{}", Origin="null"),
        server.request("GET", "/csv/x", token="other"),  # noqa: S106 - no password
    ):
        assert refused[0] == 403
    assert server.request("POST", "/run", b'{"text": "coin"}', Origin=f"http://127.0.0.1:{server.port}")[0] == 200


def test_every_response_forbids_framing_and_caching(server: Served) -> None:
    key, _ = server.ask(text="coin")
    for status, method, path, body in (
        (200, "GET", "/", None),
        (200, "POST", "/run", b'{"text": "coin"}'),
        (200, "GET", f"/events/{key}", None),
        (200, "GET", f"/csv/{key}", None),
        (200, "GET", f"/certificate/{key}", None),
        (400, "POST", "/run", b"["),
        (403, "GET", "/?token=other", None),
        (404, "GET", "/csv/x", None),
        (404, "GET", "/no/such/page", None),
        (405, "GET", "/run", None),
        (413, "POST", "/run", b" " * 1_000_001),
    ):
        found, content, headers = server.request(method, path, body)
        assert (path, found) == (path, status)
        assert headers["content-security-policy"] == "frame-ancestors 'none'", path
        assert headers["x-frame-options"] == "DENY", path
        assert headers["cache-control"] == "no-store", path
        assert headers["referrer-policy"] == "no-referrer", path
        assert path != "/" or b"default-src &#39;none&#39;" in content
    _, _, headers = server.request("GET", f"/report/{key}")  # the explorer's own page frames it
    assert headers["content-security-policy"] == "frame-ancestors 'self'"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(b"this is not HTTP\r\n\r\n")
        answer = b"".join(iter(lambda: raw.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"frame-ancestors 'none'" in answer


def test_half_a_request_blocks_nobody(server: Served) -> None:
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(80)]
    try:
        for raw in silent:
            raw.sendall(b"GET /?token=")
        assert server.request("GET", "/")[0] == 200
        assert [raw.recv(100) for raw in silent] == [b""] * 80, "the header timeout closes them"
    finally:
        for raw in silent:
            raw.close()


def test_a_second_request_on_the_same_connection_is_not_awaited(server: Served) -> None:
    """Else half of a second request would wait for ever."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\nGET /".encode())
        assert b"".join(iter(lambda: raw.recv(4096), b"")).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"text": 1}',
        b'{"kind": "file"}',
        b'{"path": "/etc/passwd"}',
        b"\xff\xfe",
        b"[" * 9999,
    ],
    ids=range(9),
)
def test_garbage_is_refused(server: Served, body: bytes) -> None:
    status, content, _ = server.request("POST", "/run", body)
    if body == b"":
        assert status == 400
        return
    assert status == 400
    assert json.loads(content)["error"]


def test_sizes_and_addresses_are_limited(server: Served) -> None:
    assert server.request("POST", "/run", b" " * 1_000_001)[0] == 413
    assert server.request("POST", "/run", json.dumps({"epsilon": "1" * 3000}).encode())[0] == 400
    for path in ("/report/../../etc/passwd", "/events/nothing", "/html/x", "/stop/x", "/a/b/c"):
        assert server.request("GET", path)[0] in (404, 405)
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(b"\x00\x01garbage\r\n\r\n")
        raw.recv(100)
    assert server.request("GET", "/")[0] == 200


def test_a_report_its_certificate_and_csv(server: Served) -> None:
    key, last = server.ask(text="survey", epsilon="1", delta="1/10")
    assert (last["state"], last["headline"]) == ("done", "✓ Private")
    chain = dc.examples.survey()
    page = server.request("GET", f"/report/{key}")[1].decode()
    assert page == dc.report(chain, epsilon=1, delta="1/10", source="example:survey").html
    _, certificate, headers = server.request("GET", f"/certificate/{key}")
    assert headers["content-disposition"] == 'attachment; filename="certificate.json"'
    assert dc.verify(chain, json.loads(certificate))
    assert server.request("GET", f"/csv/{key}")[1].startswith(b"epsilon,lower,upper")
    again = json.dumps({"text": "survey", "epsilon": "1", "delta": "1/10"}).encode()
    assert json.loads(server.request("POST", "/run", again)[1])["job"] == key
    assert [event["state"] for event in server.events(key)] == ["done"], "answers are kept"


def test_errors_say_which_line(server: Served) -> None:
    text = '{"format": "deltachain.chain/1",\n "states": {"s": {"label": "a",\n  "to": {"s": "1/2"}}\n}'
    _, last = server.ask(kind="model", text=text)
    assert last["state"] == "failed"
    assert [error["line"] for error in last["errors"]] == [4]
    _, last = server.ask(kind="program", text="@program\ndef f(x):\n    import os\n", secrets="x=0\nx=1")
    assert last["errors"][0]["line"] == 3
    _, last = server.ask(text="nothing-of-the-kind")
    assert "no example" in last["errors"][0]["what"]


@pytest.mark.parametrize("kind", ["example", "model", "program"])
def test_half_of_a_surrogate_pair_is_a_defect_with_its_line(server: Served, kind: str) -> None:
    body = json.dumps({"kind": kind, "text": "@program\n# \ud800", "pair": "s0 \udfff"}).encode()
    status, content, _ = server.request("POST", "/run", body)
    assert status == 400
    defects = json.loads(content)["error"]
    assert [defect["line"] for defect in defects] == [2, 1]
    assert "surrogate" in defects[0]["what"]


def test_the_budget_is_limited(server: Served) -> None:
    for budget in ("9999999999", "1" * 1000, "10000001"):
        _, last = server.ask(text="coin", max_nodes=budget)
        assert last["errors"][0]["where"] == "budget"
        assert says(last["errors"][0]["what"], "from")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")  # noqa: PTH110
def test_a_computation_that_takes_too_much_memory_ends_with_a_defect() -> None:
    code = "import deltachain_explore.worker as worker; worker.MOST_MEMORY = 128 * 2**20; worker.main()"
    request = json.dumps(LONG | {"text": "random,n=200,seed=1"}) + "\n"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=request, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    (defect,) = json.loads(done.stdout.splitlines()[-1])["error"]
    assert says(defect["what"])
    assert "lower the budget" in defect["fix"]


def test_programs_are_compiled_and_never_run(server: Served) -> None:
    _, last = server.ask(kind="program", text=PROGRAM, secrets="x=0\nx=1", epsilon="2")
    folder = Path(os.readlink(f"/proc/{server.process.pid}/cwd")) if os.path.exists("/proc/self/cwd") else None  # noqa: PTH110, PTH115
    assert folder is None or not (folder / "ran").exists()
    assert last["state"] == "done", last


def test_a_computation_is_stopped_with_what_is_proved(server: Served) -> None:
    _, content, _ = server.request("POST", "/run", json.dumps(LONG).encode())
    key = json.loads(content)["job"]
    server.until(key, "≤ δ ≤")
    assert server.request("POST", f"/stop/{key}")[0] == 200
    last = server.wait(key)
    assert (last["state"], last["stopped"]) == ("done", "interrupted")
    assert "≤ δ ≤" in last["found"]


INTERVAL = re.compile(r"^([\d.e+-]+) ≤ δ ≤ ([\d.e+-]+) at ε = 0\.01; (.+)$")


@pytest.mark.slow
def test_progress_shows_ever_narrower_bounds_of_what_was_asked(server: Served) -> None:
    asked = LONG | {"text": "random,n=12,seed=3", "max_nodes": "5000"}
    _, content, _ = server.request("POST", "/run", json.dumps(asked).encode())
    key = json.loads(content)["job"]
    lines = [event["progress"] for event in server.events(key)]
    shown = [match for line in lines if (match := INTERVAL.match(line))]
    assert all(INTERVAL.match(line) for line in lines if "δ ≤" in line), "no bound of anything else"
    intervals = [(Fraction(low), Fraction(high)) for low, high, _ in (match.groups() for match in shown)]
    assert len(set(intervals)) >= 2, "some may pass before they are sent"
    for (low, high), (lower, upper) in pairwise(intervals):
        assert low <= lower <= upper <= high
    doing = [match[3] for match in shown]
    assert any("beliefs expanded" in text for text in doing)
    assert any(re.match(r"now the curve, point \d+ of at most 31", text) for text in doing), "it stays in view"
    assert any(text.startswith("now the least ε for δ = ") for text in doing)
    certificate = json.loads(server.request("GET", f"/certificate/{key}")[1])
    (claim,) = certificate["claims"]
    assert intervals[-1][0] <= Fraction(claim["lower"]) <= Fraction(claim["upper"]) <= intervals[-1][1]


def test_a_computation_that_is_dropped_makes_room_at_once(server: Served) -> None:
    _, content, _ = server.request("POST", "/run", json.dumps(LONG | {"epsilon": "1/70"}).encode())
    key = json.loads(content)["job"]
    server.until(key, "δ")
    assert server.request("POST", f"/drop/{key}")[0] == 200
    assert server.wait(key)["state"] == "failed"
    assert server.ask(text="coin", epsilon="3")[1]["state"] == "done"
    assert server.request("POST", "/drop/nothing")[0] == 404


def test_what_is_asked_while_typing_ends_soon_and_is_not_dropped_while_another_tab_waits(server: Served) -> None:
    asked = json.dumps(LONG | {"epsilon": "1/80", "live": "1"}).encode()
    keys = [json.loads(server.request("POST", f"/run?tab={tab}", asked)[1])["job"] for tab in ("a", "b")]
    assert keys[0] == keys[1]
    assert server.request("POST", f"/drop/{keys[0]}?tab=a")[0] == 200
    assert server.request("POST", f"/drop/{keys[0]}?tab=a")[0] == 200
    last = server.wait(keys[0])
    assert (last["state"], last["stopped"]) == ("done", "time")


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="processes are found by /proc")  # noqa: PTH110
def test_one_process_answers_small_questions_one_after_the_other() -> None:
    with explorer(settings="from deltachain_explore import jobs; jobs.SPARE_AFTER = jobs.DROP_PATIENCE = 1e9") as own:
        assert own.ask(text="coin", epsilon="1/2")[1]["state"] == "done"
        (worker,) = own.workers()
        for epsilon in ("1/3", "nothing", "1/4"):  # an error does not end it, either
            own.ask(text="coin", epsilon=epsilon)
        assert own.workers() == [worker]
        _, content, _ = own.request("POST", "/run", b'{"text": "crowds", "epsilon": "1/7"}')
        own.request("POST", f"/drop/{json.loads(content)['job']}")
        assert own.ask(text="coin", epsilon="1/5")[1]["state"] == "done"
        assert own.workers() == [worker], "a small question that is dropped does not end it"


def test_a_process_that_has_grown_says_that_it_ends() -> None:
    code = "import deltachain_explore.worker as worker; worker.KEPT_MEMORY = 1; worker.main()"
    request = json.dumps({"text": "coin"}) + "\n"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=request * 2, capture_output=True, text=True, timeout=120, check=True)
    (answer,) = [json.loads(line) for line in done.stdout.splitlines() if '"progress"' not in line[:12]]
    assert answer["last"] is True
    assert "html" in answer["result"]


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="processes are found by /proc")  # noqa: PTH110
def test_a_killed_worker_fails_its_job_and_nothing_else(server: Served) -> None:
    _, content, _ = server.request("POST", "/run", json.dumps(LONG | {"epsilon": "1/50"}).encode())
    server.until(json.loads(content)["job"], "δ")
    workers = server.workers()
    assert 1 <= len(workers) <= 2, "one that works, and a spare"
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    last = server.wait(json.loads(content)["job"])
    assert says(last["errors"][0]["what"], "without an answer")
    assert server.ask(text="coin")[1]["state"] == "done"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--port", "x"), "--port"),
        (("model.drn",), "convert"),
        (("no.json",), "no.json"),
        (("--host", "::"), "--host"),
        (("--secret", "x=0"), "--secret: only a program"),
    ],
)
def test_what_cannot_be_served_is_refused(arguments: tuple[str, ...], message: str) -> None:
    done = run("explore", "--no-browser", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


OPENING = """
import json, sys, webbrowser
from pathlib import Path

def look(given):
    page = Path(given.removeprefix("file://"))
    modes = [oct(path.stat().st_mode & 0o777) for path in (page, page.parent)]
    print(json.dumps([given, *modes, page.read_text("utf-8")]), flush=True)

webbrowser.open = look
sys.argv = ["deltachain", "explore", "-q"]
from deltachain.cli.main import run
run()
"""


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
def test_the_browser_is_not_given_the_token_as_an_argument() -> None:
    """Every user of a machine can read the arguments of a process."""
    with subprocess.Popen([sys.executable, "-c", OPENING], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        given, mode, folder, text = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 0
    assert given.startswith("file:///")
    assert address.partition("token=")[2] not in given
    assert f'content="0; url={address}"' in text
    assert (mode, folder) == ("0o600", "0o700")
    assert not Path(given.removeprefix("file://")).parent.exists()


@pytest.mark.slow
def test_the_deadline_holds_with_many_secrets() -> None:
    """31,125 pairs: what takes long is cut wherever it is."""
    text = "from deltachain import announce, flip, program\n\n@program\ndef count(n):\n"
    text += "    announce(flip((n + 1) / 300))\n    announce(flip((n + 2) / 300))\n"
    request = ReportRequest(kind="program", text=text, secrets="\n".join(f"n={n}" for n in range(250)))
    started = time.process_time()  # others on the machine are no reason to fail
    found = answer_request(request, Cancel(10))
    assert time.process_time() - started < 10 + (HARD_LIMIT - SECONDS) / 2
    assert found["stopped"] == "time"
    assert "≤ δ ≤" in found["found"]
