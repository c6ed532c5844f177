"""The files in `deploy/`: what they name exists, and what can be checked here is."""

import configparser
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from unabridged import config
from unabridged.cli.main import COMMANDS, cli
from unabridged.installation import IMAGE_EXTRAS
from unabridged.server.run_server import BREAK, GRACE
from unabridged.server.state import LAST_SECONDS

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
ALLOWED = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
"""What the build sees of the checkout: names behind `!`."""


@pytest.fixture
def unit():
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(DEPLOY / "unabridged.service", encoding="utf-8")
    return parser


def takes(words):
    """Whether the command line takes these words (with --help behind them, nothing is run)."""
    assert words[0] in COMMANDS
    ran = CliRunner().invoke(cli, [*words, "--help"])
    assert ran.exit_code == 0, ran.output


def variables(text):
    return [
        n.removeprefix("UNABRIDGED_").lower()
        for n in re.findall(r"\bUNABRIDGED_[A-Z_]+(?==)", text)
    ]


def test_systemd_takes_the_unit(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not here")
    text = (DEPLOY / "unabridged.service").read_text("utf-8")
    copy = tmp_path / "unabridged.service"  # with a program that is there
    copy.write_text(text.replace("/opt/unabridged/bin/unabridged", "/bin/true"), "utf-8")
    ran = subprocess.run(
        [analyze, "verify", str(copy)], capture_output=True, text=True, check=False
    )
    said = [line for line in ran.stderr.splitlines() if "unabridged.service" in line]
    assert said == []


def test_the_unit_starts_a_command_that_there_is(unit):
    program, *words = shlex.split(unit["Service"]["ExecStart"])
    assert program.endswith("/unabridged")
    takes(words)
    assert all(name in config.NAMES for name in variables(unit["Service"]["Environment"]))


def test_the_unit_gives_nothing_away_and_waits_for_streams(unit):
    service = unit["Service"]
    assert service["User"] == "unabridged"
    assert service["ProtectSystem"] == "strict"
    assert service["NoNewPrivileges"] == "yes"
    assert (service["StateDirectoryMode"], service["UMask"]) == ("0700", "0077")
    assert int(service["TimeoutStopSec"]) >= GRACE + BREAK + LAST_SECONDS


def test_the_container_runs_what_there_is_as_nobody():
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    lines = re.sub(r"\\\n", " ", text)
    steps = [line.split(maxsplit=1) for line in lines.splitlines() if line and line[0] not in "# "]
    by_name = {}
    for name, rest in steps:
        by_name.setdefault(name, []).append(rest)
    assert set(by_name) <= {
        "ARG", "FROM", "LABEL", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE",
        "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD",
    }  # fmt: skip
    (user,) = by_name["USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert by_name["VOLUME"] == ["/var/lib/unabridged"]
    takes(tomllib.loads(f"x = {by_name['CMD'][-1]}")["x"])
    (extras,) = re.findall(r"^ARG EXTRAS=([a-z,]+)$", text, re.MULTILINE)
    assert set(extras.split(",")) <= set(EXTRAS)
    assert variables(text)
    assert all(name in config.NAMES for name in variables(text))
    for copied in by_name["COPY"]:
        *sources, _ = [word for word in copied.split() if not word.startswith("--")]
        ours = [one.removeprefix("./").rstrip("/") for one in sources if not one.startswith("/")]
        assert all((ROOT / one).exists() for one in ours)
        assert [one for one in ours if f"!{one}" not in ALLOWED] == []
    assert "/healthz" in text
    assert f"> /opt/unabridged/{IMAGE_EXTRAS}" in text
    takes(["keys", "create"])


def test_the_sample_holds_settings_that_can_be_used(tmp_path):
    (tmp_path / "config").mkdir()
    shutil.copy(DEPLOY / "unabridged.toml", config.file_of(tmp_path))
    found = config.read(home=tmp_path, environ={})
    given = {n for n, source in found.sources.items() if source == str(found.path)}
    commented = set(
        re.findall(r"^# (\w+) = ", (DEPLOY / "unabridged.toml").read_text(), re.MULTILINE)
    )
    assert {"listen", "upstream", "on_memory_error", "log"} <= given
    assert commented <= set(config.NAMES)
    assert config.load(home=tmp_path, environ={}, agent="coder").mode == "tools"
