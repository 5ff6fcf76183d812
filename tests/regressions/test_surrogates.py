"""Half of a surrogate pair in a program once ended the explorer's worker without a word: it is a defect."""

from __future__ import annotations

import pytest

from deltachain.cancel import Cancel
from deltachain.errors import InputError


@pytest.mark.parametrize("field", ["text", "secrets", "constants", "name"])
def test_the_worker_says_what_is_wrong(field: str) -> None:
    pytest.importorskip("starlette")
    from deltachain_explore.report_request import ReportRequest
    from deltachain_explore.worker import answer_request

    asked = {"text": "@program\ndef main(x, n=1):\n    announce(x)\n", "secrets": "x=0\nx=1", "name": "main"}
    asked[field] = {"text": asked["text"] + "# \ud800", "secrets": "x=0\nx='\ud800'", "constants": "n='\ud800'"}.get(
        field, "\ud800"
    )
    with pytest.raises(InputError) as caught:
        answer_request(ReportRequest(kind="program", **asked), Cancel())
    assert caught.value.defects
