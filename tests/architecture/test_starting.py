"""What a process must not import before it needs it, so that it starts fast."""

import subprocess
import sys

import pytest

ENGINE = ("unabridged.space.space", "unabridged.stores", "unabridged.turn", "unabridged.retrieval")
HEAVY = ("numpy", "apsw", "httpx2", "rich", "prompt_toolkit", "asyncio", "tiktoken", "mcp")
RARE = (
    "unabridged.annotations.llm_classifier",
    "unabridged.condense.llm_condenser",
    "unabridged.installation",
    "unabridged.knowledge.requirement_patterns_wide",
    "unabridged.migration",
    "unabridged.server",
    "unabridged.space.maintenance",
    "unabridged.stores.held_writes",
    "unabridged.transfer",
    "httpx2",
    "rich",
    "prompt_toolkit",
    "importlib.metadata",
)
"""What most calls of a memory do not need."""
OPERATIONS = "unabridged.operations"
"""What a program does not need that calls a memory itself."""
SHARING = "unabridged.sharing.deliver"
"""What only sharing needs, and the list of sessions, which says what was handed off."""

COMMAND = "from unabridged.cli.main import cli\nassert cli.run({words!r}) in (0, 3)"
SHOW = "\nimport sys\nprint('\\n'.join(['', *sys.modules]))"
STARTS = {
    "import unabridged": ("import unabridged", ("click", "msgspec", *ENGINE, *HEAVY)),
    "import unabridged.memory": ("import unabridged.memory", ("click", SHARING, OPERATIONS, *RARE)),
    "unabridged --help": (["--help"], ("msgspec", "unabridged.config", *ENGINE, *HEAVY)),
    "unabridged search --help": (["search", "--help"], (*ENGINE, *HEAVY)),
    "unabridged facts add --help": (["facts", "add", "--help"], (*ENGINE, *HEAVY)),
    "unabridged search": (["search", "cheese"], ("unabridged.turn", SHARING, *RARE)),
    "unabridged sessions": (["sessions"], ("unabridged.turn", *RARE)),
}
"""A start: its program or command line, and what it must not import."""


@pytest.mark.parametrize("name", STARTS)
def test_a_process_imports_only_what_it_needs(name, tmp_path):
    start, unwanted = STARTS[name]
    if not isinstance(start, str):
        start = COMMAND.format(words=["--home", str(tmp_path), *start])
    done = subprocess.run(
        [sys.executable, "-c", start + SHOW], capture_output=True, text=True, check=True
    )
    loaded = {*done.stdout.splitlines()}
    found = [each for each in unwanted if each in loaded]
    assert found == [], f"{name} imports {', '.join(found)}"
