"""Twenty things that people do with a memory, each as a function over a home."""

import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from unittest import mock
from zipfile import BadZipFile, ZipFile

from tests.faults.bench import SECRET, Bench, fill, fill_long, say

from unabridged.cli.main import main as command_line
from unabridged.domain.message import Role, ToolCall, ToolResult


class CommandFailedError(Exception):
    """The command line ended with an exit code of the error tree.

    Args:
        code: The exit code.
        said: What it wrote.

    Attributes:
        unexpected: Whether it was no error of the tree.
    """

    def __init__(self, code: int, said: str) -> None:
        super().__init__(f"exit {code}: {said[-200:]}")
        self.code = code
        self.unexpected = "fault of the program" in said or "Traceback" in said


@dataclass(frozen=True)
class Workflow:
    """One of them.

    Attributes:
        name: What it is called in the figures.
        work: Does it.
        prepare: Makes the home that it needs.
        stores: The stores that it is for.
        whole: Files that are there whole or not at all afterwards, relative to the folder above
            the home, each with a function that says whether its bytes are whole.
        forgets: Whether it removes what holds the secret.
        spaces: Whether it concerns other spaces than the one that is talked in.
        shared: Whether it needs several connections to one file, which SQLite's files do not allow
            while they are watched; only what goes through ``os`` is watched then.
    """

    name: str
    work: Callable[[Bench], None]
    prepare: Callable[[Bench], None] = fill
    stores: tuple[str, ...] = ("sqlite", "files")
    whole: tuple[tuple[str, Callable[[bytes], bool]], ...] = ()
    forgets: bool = False
    spaces: bool = False
    shared: bool = False


def run_command(bench: Bench, *words: str) -> str:
    """Run a command line in this process, and give what it wrote.

    Raises:
        CommandFailedError: It ended with another exit code than 0.
    """
    home = ["--home", str(bench.home)]
    out, code = StringIO(), 0
    chosen = {
        "UNABRIDGED_STORE": bench.settings.store,
        "UNABRIDGED_JSON_FILES": bench.settings.json_files,
    }
    argv = [*words, *home]
    with (
        redirect_stdout(out),
        redirect_stderr(out),
        mock.patch.dict("os.environ", chosen),
    ):
        try:
            command_line(argv)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
    if code:
        raise CommandFailedError(code, out.getvalue())
    return out.getvalue()


def beside(bench: Bench, name: str) -> Path:
    """A file beside the home, outside of it."""
    return bench.home.parent / name


def begin(bench: Bench) -> None:
    with bench.open() as memory:
        memory.begin(memory.prepare("Where did Ida go?"))


def step(bench: Bench) -> None:
    call = ToolCall("c1", "look", '{"where": "Oslo"}')
    with bench.open() as memory:
        context = memory.prepare("Look where Ida is.", mode="tools")
        memory.begin(context)
        asked = memory.space.message(Role.ASSISTANT, [call])
        found = memory.space.message(Role.TOOL, [ToolResult("c1", "look", "Not in Oslo.")])
        memory.record_tools(context, [asked, found])


def record(bench: Bench) -> None:
    with bench.open() as memory:
        say(memory, "Where did Ida go?", "To Oslo, as you said. " * 40)


def _newest(memory):
    return memory.exchanges(1)[0]


def regenerate(bench: Bench) -> None:
    with bench.open() as memory:
        context = memory.prepare("", retry_of=_newest(memory).id)
        memory.record(context, "Another answer.")


def edit(bench: Bench) -> None:
    with bench.open() as memory:
        memory.undo()
        say(memory, "My name is Ada and I live in Lima.", "Hello Ada in Lima.")


def retitle(bench: Bench) -> None:
    with bench.open() as memory:
        memory.rename("A title of another kind")


def pin(bench: Bench) -> None:
    with bench.open() as memory:
        memory.pin(exchange=_newest(memory).id)


def facts(bench: Bench) -> None:
    with bench.open() as memory:
        memory.facts.add("Ada plays the oboe.")
        kept = memory.facts.add("Ada is afraid of geese.")
        memory.facts.withdraw(kept.id)


def maintain(bench: Bench) -> None:
    with bench.open() as memory:
        say(memory, "I moved to Turin last week.", "How nice.")
        list(memory.maintain())


def condense(bench: Bench) -> None:
    with bench.open() as memory:
        list(memory.maintain())


def forget(bench: Bench) -> None:
    run_command(bench, "forget", "--search", SECRET, "--yes")


def backup(bench: Bench) -> None:
    run_command(bench, "backup", "create", "--output", str(beside(bench, "backup.zip")))


def is_whole_zip(data: bytes) -> bool:
    """Whether every member of a zip file can be read."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            return archive.testzip() is None and len(archive.namelist()) > 1
    except BadZipFile:
        return False


def with_backup(bench: Bench) -> None:
    """A home that went on after it was backed up."""
    fill(bench)
    backup(bench)
    record(bench)


def restore(bench: Bench) -> None:
    run_command(bench, "backup", "restore", str(beside(bench, "backup.zip")), "--replace")


def copy(bench: Bench) -> None:
    run_command(bench, "spaces", "copy", "default/default", "ann/default")


def reembed(bench: Bench) -> None:
    run_command(bench, "models", "reembed", "--embedder", "static")


def with_lines(bench: Bench) -> None:
    """Lay a file of messages beside a home that holds something."""
    fill(bench)
    lines = []
    for number in range(12):
        for role in ("user", "assistant"):
            row = {"role": role, "content": f"{role} says number {number}", "session": "s"}
            lines.append(json.dumps(row))
    beside(bench, "lines.jsonl").write_text("\n".join(lines) + "\n")


def import_lines(bench: Bench) -> None:
    said = run_command(bench, "import", str(beside(bench, "lines.jsonl")))
    if "not judged" in said:  # it says that a part of the work was not done
        raise CommandFailedError(0, said)


def export(bench: Bench) -> None:
    run_command(bench, "export", "--force", "-o", str(beside(bench, "out.jsonl")))


def is_whole_export(data: bytes) -> bool:
    """Whether every line of an export can be read, the last one too."""
    try:
        rows = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        return False
    return data.endswith(b"\n") and len(rows) > 8


def set_setting(bench: Bench) -> None:
    run_command(bench, "config", "set", "condense_messages", "30")


def with_settings(bench: Bench) -> None:
    """A home with a settings file."""
    fill(bench)
    run_command(bench, "config", "set", "verbosity", "concise")


def is_whole_settings(data: bytes) -> bool:
    """Whether a settings file says what it said before."""
    return b"verbosity" in data and data.endswith(b"\n")


def archive(bench: Bench) -> None:
    run_command(bench, "archive", "--session", "2")


def with_old_folder(bench: Bench) -> None:
    """A home, and the folder of four old programs beside it."""
    from tests.faults.migrating import old_folder

    fill(bench)
    beside(bench, "old").mkdir()
    old_folder(beside(bench, "old"))


def migrate(bench: Bench) -> None:
    old = str(beside(bench, "old"))
    try:
        run_command(bench, "migrate", old, "--user", "zoe")
    except CommandFailedError as error:
        if "Go back: unabridged migrate --rollback" not in str(error):
            raise  # else it says that the folder has records of which nothing is left


def rename_space(bench: Bench) -> None:
    run_command(bench, "spaces", "rename", "ann/default", "ben/default")


def with_copy(bench: Bench) -> None:
    """A home with a second space."""
    fill(bench)
    copy(bench)


WORKFLOWS = (
    Workflow("begin", begin),
    Workflow("step", step),
    Workflow("record", record),
    Workflow("regenerate", regenerate),
    Workflow("edit", edit),
    Workflow("retitle", retitle),
    Workflow("pin", pin),
    Workflow("facts", facts),
    Workflow("tend", maintain),
    Workflow("condense", condense, fill_long),
    Workflow("archive", archive),
    Workflow("forget", forget, forgets=True),
    Workflow("reembed", reembed, stores=("sqlite",)),
    Workflow("import", import_lines, with_lines),
    Workflow(
        "backup", backup, whole=(("backup.zip", is_whole_zip),), stores=("sqlite",), shared=True
    ),
    Workflow("restore", restore, with_backup, stores=("sqlite",), spaces=True),
    Workflow("copy", copy, spaces=True),
    Workflow("migrate", migrate, with_old_folder, spaces=True),
    Workflow("rename", rename_space, with_copy, stores=("sqlite",), spaces=True),
    Workflow("export", export, whole=(("out.jsonl", is_whole_export),)),
    Workflow(
        "config set",
        set_setting,
        with_settings,
        whole=(("home/config/unabridged.toml", is_whole_settings),),
    ),
)
if __name__ == "__main__":
    sys.exit("\n".join(flow.name for flow in WORKFLOWS))
