import io
import sys

import pytest

from unabridged.cli.progress import Stages


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(monkeypatch, stream):
    # Not in a fixture: pytest gives every phase of a test a stream of its own.
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_each_stage_keeps_its_line(monkeypatch):
    terminal = watched(monkeypatch, Terminal())
    with Stages(quiet=False) as stages:
        for done in range(0, 101, 10):
            stages.show("Reading", done, 100)
        stages.show("Embedding", 10, 100)
        stages.show("Embedding", 50, 100)
    first, second, _ = terminal.getvalue().split("\n")
    assert "Reading" in first
    assert first.removesuffix("\x1b[?25h").rstrip().endswith("100%")
    assert "Embedding" in second
    assert " 50%" in second
    assert second.removesuffix("\x1b[?25h").rstrip().endswith("100%")


def test_what_is_interrupted_does_not_claim_to_be_whole(monkeypatch):
    terminal = watched(monkeypatch, Terminal())

    def half():
        with Stages(quiet=False) as stages:
            stages.show("Reading", 1, 100)
            stages.show("Reading", 30, 100)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert "30%" in terminal.getvalue()
    assert "100%" not in terminal.getvalue()


@pytest.mark.parametrize("quiet", [True, False])
def test_nothing_is_shown_where_nobody_looks(monkeypatch, quiet):
    shown = watched(monkeypatch, Terminal() if quiet else io.StringIO())
    with Stages(quiet=quiet) as stages:
        stages.show("Reading", 1, 2)
    assert shown.getvalue() == ""
