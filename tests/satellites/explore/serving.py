"""A real ``deltachain explore``, in a process of its own, and requests to it as bytes."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.cli.command import COMMAND


@dataclass(frozen=True)
class Served:
    """A running explorer."""

    address: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.address).query)["token"][0]

    def request(
        self, method: str, path: str, body: bytes | None = None, *, token: str | None = None, **headers: str
    ) -> tuple[int, bytes, dict[str, str]]:
        """(status, content, headers) of a request, with the token unless another is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        mark = "&" if "?" in path else "?"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, f"{path}{mark}token={self.token if token is None else token}", body, named)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def ask(self, **question: str) -> tuple[str, dict[str, Any]]:
        """(key, last event) of a question."""
        status, content, _ = self.request("POST", "/run", json.dumps(question).encode())
        assert status == 200, content
        key = json.loads(content)["job"]
        return key, self.wait(key)

    def wait(self, key: str) -> dict[str, Any]:
        """The last event of a job."""
        return self.events(key)[-1]

    def events(self, key: str) -> list[dict[str, Any]]:
        """All events of a job, from now on until it is over."""
        _, events, _ = self.request("GET", f"/events/{key}")
        return [json.loads(event.removeprefix("data: ")) for event in events.decode().strip().split("\n\n")]

    def until(self, key: str, words: str) -> None:
        """Return as soon as the progress of a job has these words in it; or when the job is over."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request("GET", f"/events/{key}?token={self.token}")
            answer = connection.getresponse()
            while line := answer.readline().decode():
                if line.startswith("data: ") and words in json.loads(line.removeprefix("data: "))["progress"]:
                    return
        finally:
            connection.close()

    def workers(self) -> list[int]:
        """The processes that compute, by number (Linux)."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(number) for number in path.read_text("ascii").split()]


@contextmanager
def explorer(*arguments: str, settings: str = "") -> Iterator[Served]:
    """The explorer, until the block ends; it must end cleanly on Ctrl-C. ``settings`` is run in its process before."""
    program = [sys.executable, "-c", f"{settings}\nfrom deltachain.cli.main import run\nrun()"] if settings else COMMAND
    command = [*program, "explore", *arguments, "--no-browser", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), process.communicate()
            yield Served(address, process)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
