"""The one question that every command asks before it deletes."""

import click
import pytest

from unabridged.cli import confirm as module
from unabridged.cli.confirm import confirm, is_yes
from unabridged.errors import InputError


@pytest.mark.parametrize(("answer", "meant"), [
    ("y", True), ("Y", True), ("yes", True), (" Yes ", True), ("", False), ("n", False),
    ("yess", False), ("no", False),
])  # fmt: skip
def test_only_y_and_yes_mean_yes(answer, meant, monkeypatch):
    assert is_yes(answer) is meant
    monkeypatch.setattr(module.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(module.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: answer)
    if meant:
        confirm("Delete?", yes=False)
    else:
        with pytest.raises(click.Abort):
            confirm("Delete?", yes=False)


def test_nobody_is_asked_in_a_pipe_or_with_yes(monkeypatch):
    confirm("Delete?", yes=True)
    monkeypatch.setattr(module.sys.stdin, "isatty", lambda: False, raising=False)
    with pytest.raises(InputError, match="Not a terminal") as caught:
        confirm("Delete?", yes=False)
    assert caught.value.hint == "Add --yes."
