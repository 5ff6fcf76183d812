"""A test that needs an extra which is absent is skipped, with the reason; where every extra is promised, it fails."""

from __future__ import annotations

import importlib.util
import sys
import textwrap

import pytest

from deltachain.errors import BackendMissing
from tests import extras
from tests.extras import EXTRAS, extra_needed

pytest_plugins = ["pytester"]

TESTS = {
    "imports": "def test_it():\n    import z3",
    "asks": """
        from deltachain.errors import BackendMissing
        def test_it():
            raise BackendMissing('z3-solver', 'smt')
    """,
    "from_another": """
        from deltachain.errors import BackendMissing
        def test_it():
            try:
                raise BackendMissing('z3-solver', 'smt')
            except BackendMissing as missing:
                raise AssertionError from missing
    """,
    "module": "import z3\ndef test_it(): pass",
    "fixture": """
        import pytest
        @pytest.fixture
        def solver():
            import z3
        def test_it(solver): pass
    """,
    "command": """
        from tests.extras import skip_if_a_command_needs_more
        def test_it():
            skip_if_a_command_needs_more(6, "z3-solver is not installed: pip install 'deltachain[smt]'")
    """,
    "explicit": "import pytest\ndef test_it():\n    pytest.importorskip('z3')",
}


@pytest.fixture
def without_z3(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    found = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> object:
        return None if name == "z3" else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    monkeypatch.setitem(sys.modules, "z3", None)
    pytester.makeconftest("from tests.conftest import *")
    for name, text in TESTS.items():
        (pytester.path / f"test_{name}.py").write_text(textwrap.dedent(text), "utf-8")
    return pytester


def test_what_an_absent_extra_ends_is_skipped_with_the_reason(
    without_z3: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVERY_EXTRA", raising=False)
    done = without_z3.runpytest_inprocess("-rs", "-p", "no:cacheprovider")
    done.assert_outcomes(skipped=len(TESTS))
    assert sum("needs the extra smt" in line for line in done.outlines) == len(TESTS) - 1


def test_where_every_extra_is_promised_that_is_a_failure(
    without_z3: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERY_EXTRA", "1")
    done = without_z3.runpytest_inprocess("-p", "no:cacheprovider", "--continue-on-collection-errors")
    counts = done.parseoutcomes()
    assert "skipped" not in counts
    assert sum(counts.values()) == len(TESTS)


def test_an_extra_that_is_there_excuses_nothing() -> None:
    absent = [name for name in EXTRAS if importlib.util.find_spec(name) is None]
    for name, extra in EXTRAS.items():
        if name not in absent and not any(EXTRAS[other] == extra for other in absent):
            assert extra_needed(ModuleNotFoundError("No module", name=name)) is None
            assert extra_needed(BackendMissing(name, extra)) is None
    assert extra_needed(ModuleNotFoundError("No module named 'nonsense'", name="nonsense")) is None
    assert extra_needed(ZeroDivisionError()) is None


def test_what_a_satellite_brings_is_known_by_what_the_core_says_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_absent", lambda _: True)
    said = {
        "m.prism: unknown suffix '.prism' (formats are .json)": "storm",
        "unknown format 'umb' (formats are .json)": "storm",
        "argument VERB: invalid choice: 'threshold' (choose from 'delta')": "smt",
        "argument VERB: invalid choice: 'explore' (choose from 'delta')": "web",
        "module 'deltachain' has no attribute 'Threshold'": "smt",
        "m.xyz: unknown suffix '.xyz' (formats are .json)": None,
    }
    assert {text: extras.satellite_asked_for(text) for text in said} == said
    monkeypatch.setattr(extras, "is_absent", lambda _: False)
    assert not any(map(extras.satellite_asked_for, said))
