"""The command that adds an extra fits how the package was installed."""

import json
import os
import subprocess
import sys

import pytest

from unabridged.installation import command_for, install_command

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="paths and quotes are those of Windows there"
)


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "pip").touch()
    return folder


def source(folder, *, editable=False):
    return {"url": folder.as_uri(), "dir_info": {"editable": True} if editable else {}}


def test_from_an_index(tmp_path):
    assert command_for("gguf", None, tmp_path, tmp_path) == "pip install 'unabridged[gguf]'"


def test_in_an_editable_checkout(checkout, tmp_path):
    found = source(checkout, editable=True)
    inside = command_for("gguf", found, checkout / ".venv", checkout)
    assert inside == ".venv/bin/pip install -e '.[gguf]'"
    above = command_for("gguf", source(checkout), checkout / ".venv", tmp_path)
    assert above == "checkout/.venv/bin/pip install './checkout[gguf]'"
    outside = command_for("gguf", found, checkout / ".venv", tmp_path / "elsewhere")
    assert outside == f"{checkout}/.venv/bin/pip install -e '{checkout}[gguf]'"


def test_without_pip_in_the_environment(checkout):
    (checkout / ".venv" / "bin" / "pip").unlink()
    found = command_for("gguf", source(checkout), checkout / ".venv", checkout)
    assert found == ".venv/bin/python -m pip install '.[gguf]'"


def test_a_folder_with_a_space(tmp_path):
    folder = tmp_path / "my checkout"
    found = command_for("mcp", source(folder, editable=True), folder / ".venv", tmp_path / "other")
    assert found.endswith(f" -m pip install -e '{folder}[mcp]'")


def test_from_a_wheel_and_from_a_repository(tmp_path):
    wheel = {"url": (tmp_path / "unabridged-1-py3-none-any.whl").as_uri(), "archive_info": {}}
    assert "-any.whl[onnx]'" in command_for("onnx", wheel, tmp_path / "v", tmp_path / "x")
    remote = {"url": "https://forge.example/u.git", "vcs_info": {"vcs": "git"}}
    found = command_for("onnx", remote, tmp_path / "v", tmp_path)
    assert found.endswith("install 'unabridged[onnx] @ https://forge.example/u.git'")


def test_by_pipx(checkout, tmp_path):
    prefix = tmp_path / "pipx" / "venvs" / "unabridged"
    prefix.mkdir(parents=True)
    (prefix / "pipx_metadata.json").write_text("{}")
    found = command_for("gguf", source(checkout), prefix, checkout)
    assert found == f"pipx runpip unabridged install '{checkout}[gguf]'"


def test_by_uv_keeps_the_extras_that_are_there(tmp_path):
    receipt = '[tool]\nrequirements = [{ name = "unabridged", extras = ["chat", "gguf"] }]\n'
    (tmp_path / "uv-receipt.toml").write_text(receipt)
    found = command_for("mcp", None, tmp_path, tmp_path)
    assert found == "uv tool install 'unabridged[chat,gguf,mcp]'"
    assert command_for("gguf", None, tmp_path, tmp_path).endswith("'unabridged[chat,gguf]'")


def test_in_a_container(tmp_path):
    (tmp_path / "image-extras.txt").write_text("server,mcp\n")
    found = command_for("otel", None, tmp_path, tmp_path)
    assert "--build-arg EXTRAS=server,mcp,otel " in found


def test_the_hint_of_an_error_is_that_command():
    code = "from unabridged.errors import MissingExtraError\nprint(MissingExtraError('p', 'gguf').hint)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == f"Install it with: {install_command('gguf')}"


def test_importing_errors_reads_no_metadata():
    code = "import sys, json, unabridged.errors; print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = json.loads(ran.stdout)
    assert "unabridged.installation" not in modules
