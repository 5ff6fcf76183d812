"""The explorer's server: who may ask, what may be asked, and what it survives."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import deltachain as dc
from tests.cli.command import run
from tests.unit.web.serving import Served, explorer

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

LONG = {"text": "random,n=52,seed=1", "epsilon": "1/100", "max_nodes": "100000000"}

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
    with explorer() as served:
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


def test_answers_forbid_to_be_kept_or_framed(server: Served) -> None:
    _, content, headers = server.request("GET", "/")
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert b"default-src &#39;none&#39;" in content


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
    started = time.monotonic()
    assert server.ask(text="survey", epsilon="1", delta="1/10")[0] == key
    assert time.monotonic() - started < 0.3, "answers are kept"


def test_errors_say_which_line(server: Served) -> None:
    text = '{"format": "deltachain.chain/1",\n "states": {"s": {"label": "a",\n  "to": {"s": "1/2"}}\n}'
    _, last = server.ask(kind="model", text=text)
    assert last["state"] == "failed"
    assert [error["line"] for error in last["errors"]] == [4]
    _, last = server.ask(kind="program", text="@program\ndef f(x):\n    import os\n", secrets="x=0\nx=1")
    assert last["errors"][0]["line"] == 3
    _, last = server.ask(text="nothing-of-the-kind")
    assert "no example" in last["errors"][0]["what"]


def test_programs_are_compiled_and_never_run(server: Served) -> None:
    _, last = server.ask(kind="program", text=PROGRAM, secrets="x=0\nx=1", epsilon="2")
    folder = Path(os.readlink(f"/proc/{server.process.pid}/cwd")) if os.path.exists("/proc/self/cwd") else None  # noqa: PTH110, PTH115
    assert folder is None or not (folder / "ran").exists()
    assert last["state"] == "done", last


def test_a_computation_is_stopped_with_what_is_proved(server: Served) -> None:
    _, content, _ = server.request("POST", "/run", json.dumps(LONG).encode())
    key = json.loads(content)["job"]
    time.sleep(3)
    assert server.request("POST", f"/stop/{key}")[0] == 200
    last = server.wait(key)
    assert last["state"] in ("done", "failed")
    assert last.get("stopped") == "interrupted" or last["errors"]


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="processes are found by /proc")  # noqa: PTH110
def test_a_killed_worker_fails_its_job_and_nothing_else(server: Served) -> None:
    before = set(server.workers())
    _, content, _ = server.request("POST", "/run", json.dumps(LONG | {"epsilon": "1/50"}).encode())
    for _ in range(300):
        if set(server.workers()) - before:
            break
        time.sleep(0.1)
    (worker,) = set(server.workers()) - before
    os.kill(worker, signal.SIGKILL)
    last = server.wait(json.loads(content)["job"])
    assert "ended without an answer" in last["errors"][0]["what"]
    assert server.ask(text="coin")[1]["state"] == "done"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--port", "x"), "--port"), (("model.drn",), "convert"), (("no.json",), "no.json"), (("--host", "::"), "--host")],
)
def test_what_cannot_be_served_is_refused(arguments: tuple[str, ...], message: str) -> None:
    done = run("explore", "--no-browser", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
