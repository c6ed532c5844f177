"""Files out of wheels, and pip that cannot help."""

import pytest

from unabridged.errors import SettingError, UpstreamAwayError
from unabridged.net import wheels
from unabridged.net.wheels import WheelFile


def test_pip_that_cannot_fetch_says_why(tmp_path):
    source = WheelFile(
        f"unabridged-no-such-thing @ file://{tmp_path}/nothing.whl", "bring your own"
    )
    with pytest.raises(UpstreamAwayError, match="unabridged-no-such-thing") as caught:
        source.fetch(tmp_path)
    assert "bring your own" in caught.value.hint


def test_without_pip_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(wheels.shutil, "which", lambda name: None)
    with pytest.raises(SettingError, match="pip") as caught:
        WheelFile("nothing==1", "bring your own").fetch(tmp_path)
    assert "bring your own" in caught.value.hint


def test_only_the_package_itself_is_asked_for(tmp_path, monkeypatch):
    ran = []

    class Done:
        returncode = 0

    def run(command, **_):
        ran.append(command)
        (tmp_path / "a-1-py3-none-any.whl").touch()
        return Done()

    monkeypatch.setattr(wheels.subprocess, "run", run)
    WheelFile("a==1", "").fetch(tmp_path)
    (command,) = ran
    assert command[-1] == "a==1"
    assert "--no-deps" in command
