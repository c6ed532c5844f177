"""Whatever the umask is, nobody but its owner can look into a home."""

import os
import stat

import pytest
from tests.helpers import program

STORES = {
    "sqlite": {},
    "files by model": {"UNABRIDGED_JSON_FILES": "model"},
    "files by agent": {"UNABRIDGED_JSON_FILES": "agent"},
    "files by user": {"UNABRIDGED_JSON_FILES": "user"},
}
BAD = '{"role": "user", "content": 3}\n{"role": "user", "content": "hello there"}\nnot json\n'


@pytest.fixture(
    params=[s if s == "sqlite" else pytest.param(s, marks=pytest.mark.long) for s in STORES]
)
def run(request, tmp_path):
    environ = {
        **{name: value for name, value in os.environ.items() if "UNABRIDGED" not in name},
        "UNABRIDGED_HOME": str(tmp_path / "home"),
        "UNABRIDGED_UPSTREAM": "quote",
        **STORES[request.param],
    }

    def call(*words):
        ran = program.run(*words, env=environ, cwd=tmp_path, umask=0, text=True)
        assert ran.returncode in {0, 7}, ran.stderr  # 7: a line of the import is unreadable
        return ran.stdout

    return call


@pytest.mark.slow
def test_files_and_folders_of_a_home_are_for_their_owner_only(run, tmp_path):
    (tmp_path / "in.jsonl").write_text(BAD, encoding="utf-8")
    run("config", "set", "max_sessions", "1")
    for number in range(3):
        run("ask", "--new", f"My name is Ann and I like green tea number {number}.")
    run("import", "in.jsonl")
    run("facts")
    run("backup", "create")
    run("forget", "--search", "number 1", "--yes")
    run("export", "-o", "out.jsonl")
    wrong = {}
    for path in [*(tmp_path / "home").rglob("*"), tmp_path / "home", tmp_path / "out.jsonl"]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode != (0o700 if path.is_dir() else 0o600):
            wrong[str(path.relative_to(tmp_path))] = oct(mode)
    assert wrong == {}
