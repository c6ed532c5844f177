"""A bare install: only the core's dependencies. Every extra is hidden from the import system."""

import os
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "unabridged"

HIDE = """
from importlib.machinery import PathFinder

HIDDEN = set(@@)
found = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in HIDDEN else found(name, path, target)

PathFinder.find_spec = find_spec
"""
CORE = {"apsw", "click", "msgspec", "numpy", "platformdirs"}
NEEDS_AN_EXTRA = {"cli.chat.editor", "cli.chat.terminal", "cli.chat.markdown"}
"""Imported by `cli.chat.screen` if the extra `chat` is installed."""
MORE = {"httpx", "httpcore", "pytest", "hypothesis", "openai", "ollama", "pygments"}
"""Dependencies of extras and of development tools."""


def extras():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [one for some in project["optional-dependencies"].values() for one in some]
    names = {one.partition(">")[0].partition("[")[0].replace("-", "_") for one in listed}
    return sorted((names | MORE) - CORE - {"unabridged"})


def bare(code, tmp_path, *arguments):
    return subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            HIDE.replace("@@", repr(extras())) + code,
            *arguments,
        ],
        env={**os.environ, "UNABRIDGED_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


MAIN = "from unabridged.cli.main import main\nmain()"


def test_something_is_hidden(tmp_path):
    assert {"httpx2", "rich", "prompt_toolkit", "tiktoken", "xllamacpp"} <= set(extras())
    for name in ("httpx2", "rich"):
        assert bare(f"import {name}", tmp_path).returncode == 1


@pytest.mark.slow
def test_every_module_can_be_imported(tmp_path):
    names = [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SOURCE.rglob("*.py"))
    ]
    wanted = [
        name
        for name in names
        if not name.startswith("unabridged.testing")  # contract suites, which need pytest
        and not name.startswith(
            ("unabridged.server", "unabridged.mcp")
        )  # these packages are extras
        and name.removeprefix("unabridged.") not in NEEDS_AN_EXTRA
    ]
    assert len(wanted) > 120
    code = f"import importlib\nfor name in {wanted!r}: importlib.import_module(name)"
    ran = bare(code, tmp_path)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_memory_works(tmp_path):
    first = bare(MAIN, tmp_path, "ask", "My cat is called Ada.", "--upstream", "quote")
    assert first.returncode == 0, first.stderr
    second = bare(MAIN, tmp_path, "ask", "What is my cat called?")
    assert "Ada" in second.stdout, second.stderr
    assert bare(MAIN, tmp_path, "why", "--json").returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["--ollama", "http://127.0.0.1:9"], "http"),
        (["--openai", "http://127.0.0.1:9/v1"], "http"),
        (["--gguf", "{file}"], "gguf"),
    ],
)
def test_what_needs_an_extra_names_it(tmp_path, arguments, extra):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    words = [word.format(file=file) for word in arguments]
    ran = bare(MAIN, tmp_path, "ask", "hi", *words)
    assert ran.returncode == 2, ran.stderr
    assert f"[{extra}]'" in ran.stderr


def test_exact_counts_that_were_asked_for_name_their_extra(tmp_path):
    asked = bare(MAIN, tmp_path, "config", "set", "tokenizer", "tiktoken")
    assert asked.returncode == 0, asked.stderr
    ran = bare(MAIN, tmp_path, "ask", "hi", "--upstream", "quote")
    assert ran.returncode == 2, ran.stderr
    assert "[tokens]'" in ran.stderr


def test_doctor_says_what_is_missing(tmp_path):
    ran = bare(MAIN, tmp_path, "doctor")
    assert ran.returncode == 0, ran.stderr
