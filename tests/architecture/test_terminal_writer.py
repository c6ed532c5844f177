"""Text reaches the terminal through one function, which takes only text that was made safe."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import unabridged

SOURCE = Path(unabridged.__file__).parent
WRITER = SOURCE / "cli" / "output.py"
MAKERS = {"terminal_text.py": 4, "paint.py": 1, "output.py": 2, "type_ahead.py": 3}
"""Files that may call ``Safe`` itself, and how often; others call ``safe`` or ``paint``."""
WRITES = re.compile(
    r"(print|input|click\.(echo|secho|style|confirm|prompt|echo_via_pager|edit)"
    r"|traceback\.print_\w+|warnings\.warn|.*_console\.print|.*_session\.prompt|sys\.std(out|err)\.write.*)"
)
ELSEWHERE = {
    ("server/log.py", "print"),  # lines of the log, escaped there
    ("server/routes/http_reference.py", "print"),  # a developer's page
    ("cli/chat/terminal.py", "self._console.print"),  # rich, whose ``render`` makes text safe
    ("cli/chat/editor.py", "self._session.prompt"),  # prompt_toolkit, which draws controls as ^[
    ("cli/paint.py", "click.style"),
}

MISUSE = """
from unabridged.cli.output import echo, write
from unabridged.cli.paint import paint
from unabridged.cli.terminal_text import Safe, safe
from unabridged.domain.message import Message

def show(message: Message, name: str) -> None:
    write(safe(message.text))
    write(paint(message.text, "dim") + message.text)
    write(safe(", ").join([message.text, name]))
    echo(message.text)
    write(message.text)
    write(f"calls {name}({safe(message.text)})")
    write(safe("a").replace("a", name))
"""


def test_mypy_refuses_text_that_was_not_made_safe(tmp_path):
    file = tmp_path / "misuse.py"
    file.write_text(MISUSE)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    command += ["--follow-imports=silent", "--no-error-summary", str(file)]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"MYPYPATH": str(SOURCE.parent)}
    )
    refused = [
        line.partition("misuse.py:")[2].partition(":")[0] for line in ran.stdout.splitlines()
    ]
    assert refused == ["12", "13", "14"], ran.stdout + ran.stderr
    assert ran.stdout.count('incompatible type "str"; expected "Safe"') == 3


def calls_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


def test_nothing_but_the_writer_writes_to_the_terminal():
    files = [path for path in SOURCE.rglob("*.py") if path != WRITER]
    found = {
        (path.relative_to(SOURCE).as_posix(), called)
        for path in files
        for called in calls_of(path)
        if WRITES.fullmatch(called)
    }
    assert found == ELSEWHERE


def test_only_its_makers_call_the_type_itself():
    made = {}
    for path in SOURCE.rglob("*.py"):
        if number := sum(called == "Safe" for called in calls_of(path)):
            made[path.name] = number
    assert made == MAKERS
