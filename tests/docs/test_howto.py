"""The Python of the how-to pages runs as it is; what needs a server runs in `tests/server`."""

import re
import tomllib
from pathlib import Path

import pytest

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
ELSEWHERE = {
    "add-an-operation.md",  # its code changes the table of operations of the process
    "memory-over-http.md",
    "serve.md",
    "share-and-hand-off.md",
}
"""Pages with tests of their own."""
PAGES = sorted(page for page in HOWTO.glob("*.md") if page.name not in ELSEWHERE)
CODE = [
    (page.name, code)
    for page in PAGES
    for code in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]


def test_the_pages_have_code():
    assert len(CODE) >= 5


@pytest.mark.parametrize(("page", "code"), CODE, ids=[page for page, _ in CODE])
def test_a_block_of_python_runs(page, code, tmp_path, monkeypatch):
    monkeypatch.setenv("UNABRIDGED_HOME", str(tmp_path))
    monkeypatch.setenv("UNABRIDGED_UPSTREAM", "quote")
    monkeypatch.chdir(tmp_path)
    exec(code, {"__name__": page.removesuffix(".md").replace("-", "_")})


def test_every_block_of_toml_is_toml():
    blocks = [
        code
        for page in HOWTO.glob("*.md")
        for code in re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    assert blocks
    assert all(tomllib.loads(code) for code in blocks)


@pytest.mark.parametrize("page", sorted((HOWTO.parent).rglob("*.md")), ids=lambda page: page.name)
def test_a_command_line_uses_no_variable_that_is_not_set(page):
    """Variables of a shell block are set on the page, or by every shell."""
    text = page.read_text("utf-8")
    shell = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", shell))
    is_set = set(re.findall(r"\b([A-Z][A-Z_]+)=", shell))
    assert used - is_set <= {"HOME", "PWD", "USER", "EDITOR", "PATH"}
