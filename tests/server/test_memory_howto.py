"""The examples of docs/howto/memory-over-http.md run as they stand, but for the address."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.talker import Talker

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "memory-over-http.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_examples_run(serving, tmp_path):
    url = serving(upstream="quote")
    shell = "".join(code for kind, code in BLOCKS if kind == "sh")
    (python,) = (code for kind, code in BLOCKS if kind == "python")
    script = f"set -e\n{shell}\n{sys.executable} example.py\n"
    (tmp_path / "example.py").write_text(python.replace("http://127.0.0.1:11435", url))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", script.replace("http://127.0.0.1:11435", url)],
        env={**os.environ, "UNABRIDGED_HOME": url.settings.home, "PATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    plan = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    assert len(plan["exchanges"]) >= 1
    assert "allergic" in (tmp_path / "everything.jsonl").read_text("utf-8")
    url.service.pool.close()
    with Talker.open(settings=url.settings) as memory:
        assert [fact.text for fact in memory.facts.all()] == ["I am allergic to nuts."]
        assert [receipt.id for receipt in memory.space.forgetting.receipts()] == [plan["id"]]
        assert memory.space.search("which nuts")[0].exchange.user.text == "Which nuts may I eat?"
