"""Sharing, handing off and revoking, killed in their midst, in short form; and proof that it can fail.

The long form is ``python -m tests.faults.share_kills``.
"""

import os
from dataclasses import replace

import pytest
from tests.faults import share_kills

from unabridged.domain.record import RecordKind
from unabridged.domain.share import ShareState, to_record
from unabridged.sharing import deliver

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX processes")


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "files"])
def test_a_kill_is_completed_by_sharing_again_or_revoking(store):
    report = share_kills.run(12, 1, store)
    assert report["wrong"] == []
    assert report["killed"] == 12
    assert report["again"] * report["taken_back"] > 0


@pytest.mark.long
def test_a_share_that_is_written_down_too_late_is_found_out(monkeypatch):
    monkeypatch.setattr(deliver, "to_record", _late)
    report = share_kills.run(24, 1)
    assert report["wrong"]


def _late(share):
    """A share that is only found once it is finished."""
    made = to_record(share)
    late = share.state is not ShareState.HELD
    return replace(made, kind=RecordKind.PROGRESS) if late else made
