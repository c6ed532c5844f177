import ast
import json
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from click.testing import CliRunner

from unabridged.cli.client_configs import (
    A_KEY,
    A_TOKEN,
    NO_KEY,
    ServerAddress,
    clients,
    filled,
    noted,
)
from unabridged.cli.commands.connect_command import address_from
from unabridged.cli.main import COMMANDS, cli

NASTY = ServerAddress(
    url="http://127.0.0.1:11435",
    home="""/srv/O'Neil "x" \\ ünï""",
    model="""a"b'c $(touch x) \\n""",
    key=NO_KEY,
    token=A_TOKEN,
    token_file="/srv/O'Neil x/config/server-token",
    program="C:\\Program Files\\unabridged.exe",
)
CLIENTS = clients()


def run(*words, code=0):
    ran = CliRunner().invoke(cli, ["connect", *words])
    assert ran.exit_code == code, ran.output
    return ran.output


@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_printed_can_be_read_by_the_program(name):
    client = CLIENTS[name]
    text = filled(client, NASTY)
    assert "$u" not in noted(client, NASTY)
    match client.form:
        case "json":
            found = json.dumps(json.loads(text))
        case "yaml":
            found = json.dumps(yaml.safe_load(text))
        case "toml":
            found = json.dumps(tomllib.loads(text))
        case "python":
            found = ast.dump(ast.parse(text))
        case "javascript":
            found = text
            if node := shutil.which("node"):
                checked = subprocess.run([node, "--check", "--input-type=module", "-"], input=text,
                                         capture_output=True, text=True, check=False)  # fmt: skip
                assert checked.returncode == 0, checked.stderr
        case "sh":
            checked = subprocess.run(
                ["bash", "-n"], input=text, capture_output=True, text=True, check=False
            )
            assert checked.returncode == 0, checked.stderr
            found = text
        case "ini":
            found = text
            assert all(re.fullmatch(r"[A-Z_]+=\S+", line) for line in text.split("\n") if line)
        case _:
            assert client.form == "steps"
            found = text
    assert "127.0.0.1:11435" in found or client.name == "claude-desktop"
    assert not re.search(r"(?<!\$)\$(url|v1|mcp|model|key|home|token)", found)


def test_a_program_that_names_its_users_gets_a_key_once():
    first, second = run("open-webui"), run("open-webui")
    (key,) = set(re.findall(r"unb_\w+", first.replace("\n", "")))
    assert "every request to the server needs a key" in first
    assert "unb_" not in second
    assert A_KEY in second
    (row,) = json.loads(CliRunner().invoke(cli, ["keys", "list", "--json"]).output)
    assert (row["name"], row["user"], row["rights"]) == ("open-webui", None, ["chat"])
    assert key.startswith(f"unb_{row['id']}_")


def test_no_key_is_made_for_another_machine_or_a_program_without_users():
    run("open-webui", "--url", "http://house:11435")
    run("zed")
    assert json.loads(CliRunner().invoke(cli, ["keys", "list", "--json"]).output) == []


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_names_what_it_was_checked_against(name):
    client = CLIENTS[name]
    assert re.search(r"https://|[\w-]+/[\w-]+|\d+\.\d+", client.checked)
    assert client.speaks in {"ollama", "openai", "anthropic", "mcp"}
    assert client.where
    assert client.title


def test_the_table_lists_a_dozen_and_more():
    assert len(CLIENTS) >= 12
    listed = run()
    assert all(name in listed for name in CLIENTS)
    assert {row["speaks"] for row in json.loads(run("--json"))} == {
        "ollama",
        "openai",
        "anthropic",
        "mcp",
    }
    assert "connect" in COMMANDS


def test_only_the_settings_are_printed_where_that_is_wanted(tmp_path):
    data = json.loads(run("claude-desktop", "--only", "--home", str(tmp_path)))
    server = data["mcpServers"]["unabridged"]
    assert server["args"] == ["mcp", "--home", str(tmp_path)]
    code = run("openai-python", "--only", "--model", "qwen3", "--url", "https://memory.lan/")
    assert "https://memory.lan/v1" in code
    assert 'model="qwen3"' in code


def test_the_address_is_where_the_settings_listen(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "unabridged.toml").write_text('listen = "0.0.0.0:8080"\nmodel = "m1"\n')
    text = run("curl", "--home", str(tmp_path))
    assert "http://127.0.0.1:8080/api/chat" in text
    assert address_from("[::]:1") == "http://[::1]:1"
    assert address_from("192.168.1.5:80") == "http://192.168.1.5:80"


@pytest.mark.slow
def test_no_secret_is_printed_unless_it_is_asked_for(tmp_path):
    from unabridged.home.api_keys import ApiKeys

    token = ApiKeys(tmp_path).token()
    for name in CLIENTS:
        assert token not in run(name, "--home", str(tmp_path))
        assert token not in run(name, "--home", str(tmp_path), "--json")
    place = re.sub(r"\s", "", run("cursor", "--home", str(tmp_path)))
    assert str(tmp_path / "config" / "server-token") in place
    assert token in run("cursor", "--home", str(tmp_path), "--show-token")


def test_where_keys_exist_the_place_of_one_is_named(tmp_path):
    from unabridged.clock import SystemClock
    from unabridged.domain.permissions import Grant
    from unabridged.home.api_keys import ApiKeys

    _, secret = ApiKeys(tmp_path).create(Grant("page"), SystemClock().now())
    text = run("open-webui", "--home", str(tmp_path))
    said = run("openai-python", "--home", str(tmp_path))
    assert A_KEY in said
    assert "keys create" in said
    assert secret not in text + said


def test_an_unknown_program_is_told_with_the_list(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["connect", "emacs"])
    assert ended.value.code == 3
    assert "List the programs: unabridged connect" in capsys.readouterr().err


def test_the_table_is_toml_without_stray_dollars():
    from importlib import resources

    text = (resources.files("unabridged.cli") / "data" / "clients.toml").read_text("utf-8")
    assert tomllib.loads(text).keys() == CLIENTS.keys()
