"""The page on sharing: its commands and its program run as they stand, one after the other."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "share-and-hand-off.md"
BLOCKS = re.findall(r"```(sh|python)\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the page is written for a POSIX shell")
def test_the_page_runs_from_top_to_bottom(tmp_path):
    bin_ = Path(sys.executable).parent
    environ = {
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "UNABRIDGED_HOME": str(tmp_path / "home"),
        "UNABRIDGED_UPSTREAM": "quote",
        "COLUMNS": "120",
        "LANG": "C.UTF-8",
    }
    told = []
    for kind, text in BLOCKS:
        command = ["sh", "-ec", text] if kind == "sh" else [sys.executable, "-c", text]
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, (text, done.stderr)
        told.append(done.stdout)
    listed, handed, disputed, settled, revoked, program = told[2:8]
    assert "default/work" in listed
    assert "→ default/writer" in handed
    assert "≠" in disputed
    assert "Bern" in disputed
    assert "Basel" in disputed
    assert "≠" not in settled
    assert "Geneva" in settled
    assert "Basel" not in settled.partition("Shared with")[2]
    assert "Revoked the share with default/coder." in revoked
    assert program.endswith("held\n")
