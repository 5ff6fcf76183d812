"""A real Dask cluster of two worker processes: the same rows, nothing lost when one is killed, liars caught."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.executors import workers
from tests.words import says

pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
GRID: dict[str, Any] = {"parameters": {"n": [2, 3], "p": ["2/5", "49/100"]}, "epsilons": [0, "1/10"]}


def lie() -> None:
    """On a worker: from now on every upper bound is zero, and says it is exact."""
    from deltachain.measures.sweep import verb as jobs

    honest = jobs._answer

    def lying(*arguments: Any) -> Any:
        result, *proof = honest(*arguments)
        return result | {"lower": {"exact": "0", "approx": 0.0}, "upper": {"exact": "0", "approx": 0.0}}, *proof

    lying.honest = honest  # type: ignore[attr-defined]
    jobs._answer = lying


def repent() -> None:
    """On a worker: the truth again."""
    from deltachain.measures.sweep import verb as jobs

    jobs._answer = jobs._answer.honest  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def executor() -> Iterator[Any]:
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)  # workers import this module
    try:
        with workers(2, "local") as found:
            found._client.wait_for_workers(2, timeout=60)
            yield found
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def stripped(found: dc.Sweep) -> list[dict[str, Any]]:
    return [row.to_dict() | {"checked": None} for row in found]


def test_two_worker_processes_give_the_rows_of_one(executor: Any) -> None:
    assert len({*executor._client.run(os.getpid).values(), os.getpid()}) == 3
    here = dc.sweep(dc.examples.dining_cryptographers, **GRID)
    there = dc.sweep(dc.examples.dining_cryptographers, **GRID, executor=executor)
    assert stripped(there) == stripped(here)
    assert {row.checked for row in there} == {True}, "on a cluster certificates are checked unless told"
    unchecked = dc.sweep(dc.examples.dining_cryptographers, **GRID, executor=executor, check=False)
    assert {row.checked for row in unchecked} == {False}


def test_an_estimate_is_the_same_on_a_cluster(executor: Any) -> None:
    chain = dc.examples.build("random,n=60,labels=2,degree=3,seed=3")
    options: dict[str, Any] = {"exp_epsilon": "11/10", "samples": 3000, "seed": 5, "max_nodes": 300}
    here = dc.estimate(chain, **options)
    assert here.samples == 6000
    assert dc.estimate(chain, **options, executor=executor) == here


def test_a_worker_that_lies_is_caught(executor: Any) -> None:
    client = executor._client
    asked: dict[str, Any] = {"parameters": {"p": ["3/5", "2/3", "3/4", "4/5"]}, "epsilons": [0], "executor": executor}
    client.run(lie)
    try:
        found = dc.sweep(dc.examples.survey, **asked)
    finally:
        client.run(repent)
    assert len(found.failed) == 4
    assert all(says(str(row.error), "its certificate proves") for row in found)
    for row in dc.sweep(dc.examples.survey, **asked):
        if row.error is None:
            assert row.checked is True
            assert row.result is not None
            chain = dc.examples.survey(**dict(row.parameters))
            assert row.result["upper"]["exact"] == str(dc.delta(chain, epsilon=0).upper)


def test_a_worker_that_is_killed_loses_nothing(executor: Any, tmp_path: Path) -> None:
    client = executor._client
    victims = client.run(os.getpid)
    killed: list[int] = []

    def report(_: str) -> None:
        if not killed:
            killed.append(next(iter(victims.values())))
            os.kill(killed[0], signal.SIGKILL)

    parameters = {"p": [f"{k}/20" for k in range(11, 20)]}
    path = tmp_path / "rows.jsonl"
    found = dc.sweep(
        dc.examples.survey, parameters=parameters, epsilons=[0], executor=executor, report=report, out=path
    )
    assert killed
    assert stripped(found) == stripped(dc.sweep(dc.examples.survey, parameters=parameters, epsilons=[0]))
    assert len(path.read_bytes().splitlines()) == 1 + 9  # what was asked, and the rows
    client.wait_for_workers(2, timeout=60)


@pytest.mark.slow
def test_a_scheduler_that_is_there_is_used_and_an_empty_one_refused(executor: Any) -> None:
    from distributed import LocalCluster

    address = executor._client.scheduler.address
    with workers(cluster=address) as found:
        assert found is not None
        assert found.submit(os.getpid).result() != os.getpid()
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50) as empty:
        refused = pytest.raises(InputError, match="has no workers")
        with refused, workers(cluster=empty.scheduler_address):
            pass
