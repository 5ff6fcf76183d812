"""The explorer: how long a small model's answer takes, from the question to the report, on a warm server.

A real ``deltachain explore`` is asked about every example of the zoo whose belief graphs end, over HTTP and, where
there is a browser, in its page. Every question is new, so that no kept answer is measured; the δ of each certificate is
compared with that of `dc.delta`. The time that the page waits for more keystrokes is not counted.
"""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import deltachain as dc
from bench.measure import Row, note
from tests.browser.driver import chromium, launched
from tests.satellites.explore.serving import Served
from tests.satellites.explore.serving import explorer as served_explorer

LIMIT = 0.3
"""Seconds that an answer may take, at the 90th percentile."""
EPSILONS = ("1", "0.5", "0.37", "1.25", "2", "0.1")


@dataclass(frozen=True)
class Answered:
    """How long one question took, in seconds: until bounds were shown, until the report was there, of processor."""

    example: str
    bounds: float
    whole: float
    processor: float
    right: bool


def explorer(quick: bool) -> list[Row]:
    """Bounds and report, over HTTP and in the page."""
    zoo, epsilons = _finite(), EPSILONS[: 1 if quick else len(EPSILONS)]
    note(f"{len(zoo)} examples with finite graphs, {len(epsilons)} questions each")
    rows = []
    with served_explorer() as server:
        _warm(server)
        asked = [_over_http(server, name, epsilon) for epsilon in epsilons for name in zoo]
        memory = _worker_mb(server)
        rows.append(_row("over HTTP, until the bounds are sent", asked, lambda one: one.bounds, memory))
        rows.append(_row("over HTTP, until the report is received", asked, lambda one: one.whole, memory))
        rows.append(_row("the same, processor time of the computation", asked, lambda one: one.processor, memory))
        if importlib.util.find_spec("playwright") is None or chromium() is None:
            note("no browser: the page is left out")
        else:
            asked = _in_page(server, zoo, [f"{epsilon}0" if "." in epsilon else f"{epsilon}.0" for epsilon in epsilons])
            memory = _worker_mb(server)
            rows.append(_row("in the page, until the headline is shown", asked, lambda one: one.bounds, memory))
            rows.append(_row("in the page, until the report is shown", asked, lambda one: one.whole, memory))
    return rows


def _row(case: str, asked: Sequence[Answered], of: Callable[[Answered], float], memory: float) -> Row:
    """The 90th percentile; the median and the worst are said beside it."""
    seconds = [of(one) for one in asked]
    nine = quantiles(seconds, n=10)[-1] if len(seconds) > 1 else seconds[0]
    worst = max(asked, key=of)
    right = all(one.right for one in asked)
    answer = (
        f"{'' if right else 'WRONG: '}{len(asked)} answers, median {median(seconds) * 1000:.0f} ms, "
        f"worst {of(worst) * 1000:.0f} ms ({worst.example})"
    )
    limit = f"90 % within {LIMIT * 1000:.0f} ms"
    return Row(case, nine, memory, answer, limit, right and nine <= LIMIT)


def _finite() -> list[str]:
    """The examples whose belief graphs end, so that the whole curve is exact."""
    return [name for name in dc.examples.names() if dc.profile(f"example:{name}", max_nodes=300, check=False).exact]


def _warm(server: Served) -> None:
    server.ask(text="coin", epsilon="3")


def _over_http(server: Served, name: str, epsilon: str) -> Answered:
    begun, used = time.perf_counter(), _processor(server)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    body = json.dumps({"text": name, "epsilon": epsilon, "live": "1"})
    connection.request("POST", f"/run?token={server.token}", body)
    key = json.loads(connection.getresponse().read())["job"]
    connection.close()
    connection.request("GET", f"/events/{key}?token={server.token}")
    events, bounds = connection.getresponse(), 0.0
    while line := events.readline():
        if not bounds and "δ" in json.loads(line.removeprefix(b"data: ") or b"{}").get("progress", ""):
            bounds = time.perf_counter() - begun
        events.readline()  # an empty line ends an event
    connection.close()
    status, _, _ = server.request("GET", f"/report/{key}")
    whole = time.perf_counter() - begun
    right = status == 200 and _agrees(server, key, name, epsilon)
    return Answered(name, bounds or whole, whole, _processor(server) - used, right)


def _agrees(server: Served, key: str, name: str, epsilon: str) -> bool:
    """Whether the claims of the certificate are what `dc.delta` finds."""
    certificate = json.loads(server.request("GET", f"/certificate/{key}")[1])
    found = dc.delta(f"example:{name}", epsilon=epsilon, check=False)
    claims = certificate["proves" if "proves" in certificate else "claims"]  # format 1 has claims
    claimed = {(Fraction(claim["lower"]), Fraction(claim["upper"])) for claim in claims}
    return claimed == {(row.lower, row.upper) for row in found.results}


STARTED = """([epsilon]) => {
  const at = (id) => document.getElementById(id);
  window.measured = new Promise((done) => {
    const begun = performance.now();
    let shown = 0;
    const watch = new MutationObserver(() => {
      if (!shown && at("answers").textContent.includes(`ε = ${epsilon}`)) shown = performance.now() - begun;
    });
    watch.observe(at("result"), { childList: true, subtree: true, characterData: true });
    at("report").addEventListener("load", () => {
      watch.disconnect();
      done([shown, performance.now() - begun]);
    }, { once: true });
    at("epsilon").value = epsilon;
    at("run").click();
  });
}"""
"""Ask in the page, and count the milliseconds until headline and report are there."""


def _in_page(server: Served, zoo: Sequence[str], epsilons: Sequence[str]) -> list[Answered]:
    found = []
    with launched() as browser:
        page = browser.new_page()
        page.goto(server.address)
        _wait_for_answer(page)
        page.locator("#live").uncheck()
        for name in zoo:
            page.locator("#example").select_option(name)
            for epsilon in epsilons:
                used = _processor(server)
                page.evaluate(STARTED, [epsilon])
                shown, whole = (part / 1000 for part in page.evaluate("window.measured"))
                key = page.locator("#save-certificate").get_attribute("href").split("/")[2].split("?")[0]
                right = _agrees(server, key, name, epsilon)
                found.append(Answered(name, shown, whole, _processor(server) - used, right))
    return found


def _wait_for_answer(page: Any) -> None:
    page.wait_for_function("() => document.getElementById('stop').disabled", timeout=60_000)


def _processor(server: Served) -> float:
    """Seconds of processor that the server's processes have used (0 where the system does not say)."""
    total = 0
    for worker in server.workers() if Path("/proc/self/stat").exists() else []:
        fields = Path(f"/proc/{worker}/stat").read_text("ascii").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _worker_mb(server: Served) -> float:
    """The peak memory of the largest process that computes."""
    workers = server.workers() if Path("/proc/self/status").exists() else []
    lines = [line for worker in workers for line in Path(f"/proc/{worker}/status").read_text("ascii").splitlines()]
    return max((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), default=0.0)
