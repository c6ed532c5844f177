"""What a call passes through, counted."""

from bench.core.call_paths import PACKAGE, followed, run
from unabridged.domain.budget import Mode
from unabridged.intent.detect import detect


def test_only_calls_of_the_package_inside_are_noted():
    detect("Thanks!")
    with followed() as path:
        detect("Do you remember my boat?")
        sorted(Mode)
    assert path.files
    assert all(file.startswith(PACKAGE) for file in path.files)
    assert any(name == "detect" for _, name in path.functions)
    before = len(path.functions)
    detect("And now?")
    assert len(path.functions) == before


def test_every_path_is_measured():
    figures = {row.name: row.p50 for row in run()}
    assert figures["files: prepare: casual"] < figures["files: prepare: vivid"]
    assert figures["files: chat completion"] > figures["files: record"] > 1
