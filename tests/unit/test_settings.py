"""`Settings`: what counts as given, and what is refused."""

from __future__ import annotations

import pytest

from deltachain.errors import InputError
from deltachain.settings import FOR_BOTH, FOR_CODE, FOR_FILES, FOR_PROGRAMS, Settings

EVERY = (*FOR_FILES, *FOR_PROGRAMS, *FOR_BOTH, *FOR_CODE)


def test_nothing_is_given_by_default() -> None:
    assert not any(Settings().gives(name) for name in EVERY)
    Settings(observe=[], constants={}, secrets=()).refuse(EVERY, "a chain")


def test_a_limit_of_zero_is_given() -> None:
    assert Settings(max_states=0).gives("max_states")
    assert Settings(sample=(0, 0)).gives("sample")


def test_every_setting_that_has_no_use_is_refused_in_the_users_words() -> None:
    asked = Settings(observe=("x",), max_states=3, normalise="any", place=lambda name: f"--{name}")
    with pytest.raises(InputError) as caught:
        asked.refuse(EVERY, "example:coin")
    assert [defect.where for defect in caught.value.defects] == ["--normalise", "--observe", "--max_states"]
    assert {defect.fix for defect in caught.value.defects} == {"drop it for example:coin"}


def test_only_some_settings_stay_with_the_users_words() -> None:
    asked = Settings(secrets=[{"x": 1}], observe=("x",), max_states=3, place=lambda name: f"--{name}")
    kept = asked.only(["secrets", "max_states"])
    assert kept == Settings(secrets=[{"x": 1}], max_states=3)
    assert kept.place("seed") == "--seed"
