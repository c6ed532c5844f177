"""The public suite for tampering at rest, against our stores: what it says is in docs/integrity.md."""

import json
import subprocess
import sys

import pytest
from agmi.check import run
from tests.integrity import agmi

EVERY = {
    "tamper", "truncate", "delete_middle", "reorder", "forge",
    "cross_replay", "rollback_replay", "metadata_tamper", "snapshot_rollback",
}  # fmt: skip


@pytest.mark.parametrize(
    ("adapter", "accepted"),
    [
        (agmi.SqliteStoreAdapter, {"snapshot_rollback"}),
        (agmi.SqliteKeyed, {"snapshot_rollback"}),
        (agmi.SqliteAnchored, set()),
    ],
)
def test_its_nine_threats(adapter, accepted):
    verdicts = {row["attack"]: row["verdict"] for row in run(adapter())}
    assert verdicts == {name: "ACCEPTED" if name in accepted else "REJECTED" for name in EVERY}


@pytest.mark.parametrize("name", ["SqliteAnchored"])
def test_its_own_command_says_so_too(tmp_path, name):
    said = tmp_path / "said.json"
    spec = f"tests.integrity.agmi:{name}"
    ran = subprocess.run(
        [sys.executable, "-m", "agmi.check", "--adapter", spec, "--json", str(said)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(said.read_text("utf-8"))
    assert {row["verdict"] for row in told["edits"]} == {"REJECTED"}
    assert all("StoreTamperedError" in row["detail"] for row in told["edits"])
