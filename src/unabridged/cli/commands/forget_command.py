"""``unabridged forget``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from unabridged.cli.confirm import confirm
from unabridged.cli.enter_audit import enter
from unabridged.cli.open_from_options import named, open_home, open_safekeeping, open_space
from unabridged.cli.operation_command import performed
from unabridged.cli.options import MEMORY, Invocation
from unabridged.cli.output import dumps, echo, echo_lines
from unabridged.cli.plain_command import plain_command
from unabridged.cli.progress import Stages
from unabridged.cli.views.forgetting import plan_lines, receipt_lines, rewritten_lines, space_lines
from unabridged.disk.atomic_write import write_whole
from unabridged.domain.backup_results import RewrittenBackup
from unabridged.domain.forgetting import Receipt
from unabridged.domain.scope import Scope, SpaceId
from unabridged.errors import InputError, NotFoundError
from unabridged.home.open_spaces import space_from

NOTHING = "There is nothing to forget."
WITHIN = "Nothing has these words by themselves. To forget what follows: --with-repeats."
REMNANTS = (
    "Nothing that was said here has these words. The files of the space have them, in a name or an "
    "id: of a model, a session, a user."
)
QUESTION = "Delete this for good?"


@plain_command(
    "forget",
    "unabridged forget 01HZX3 --dry-run",
    'unabridged forget --search "ulaanbaatar brewery"',
    "unabridged forget --session 2 --yes -o receipt.json",
    "unabridged forget --lift 7K2QMD",
    options=MEMORY,
    operation="forget.plan",
)
@click.argument("exchanges", nargs=-1, metavar="[EXCHANGE]...")
@click.option(
    "--session",
    metavar="WHICH",
    help="A whole session: id, title or number; with --search, only search in it.",
)
@click.option("--fact", metavar="WHICH", help="A fact; the messages stay unless --with-sources.")
@click.option("--space", is_flag=True, help="The whole space of --user and --agent.")
@click.option("--all-of", metavar="USER", help="Every space of a user.")
@click.option("--in-backups", is_flag=True, help="Also rewrite the home's backups without it.")
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("-o", "--output", metavar="FILE", help="Also write the receipt to a file, as JSON.")
@click.option("--lift", metavar="RECEIPT", help="Allow what was forgotten to be stored again.")
@click.option("--resume", is_flag=True, help="Complete an interrupted run.")
def command(invocation: Invocation, **given: Any) -> None:
    """Delete exchanges, sessions, facts or spaces for good.

    You see first what will be deleted. With the messages go their vectors, index entries, ledgers, facts, requirements and condensations; the last are made again from what remains. Facts that other messages state stay. If a client sends the same messages again, the model gets them but they are not stored, until --lift; messages under five words only after the same message as before.

    Backups in the home are rewritten with --in-backups, or later: unabridged backup prune. Those that may hold it are listed, as are other copies. Exports are out of reach.

    Bytes are overwritten if the file system allows it. An SSD, a journal or a snapshot may keep old blocks; if that matters, encrypt the home and destroy its key.
    """
    asked = ForgetArguments(*(given.pop(each.name) for each in fields(ForgetArguments)))
    named = any(given[name] for name in ("exchanges", "session", "fact", "search"))
    if sum([named, asked.space or bool(asked.all_of), bool(asked.lift), asked.resume]) > 1:
        raise InputError("These options exclude each other.", hint="Keep one of them.")
    if asked.output and Path(asked.output).exists():
        raise InputError(f"{asked.output} exists already.", hint="Name another file.")
    if asked.lift:
        _lift(invocation, asked.lift)
    elif asked.resume:
        _tell(invocation, open_space(invocation).forgetting.resume(), asked)
    elif asked.space or asked.all_of:
        _spaces(invocation, asked)
    else:
        _named(invocation, asked, given)


@dataclass(frozen=True, slots=True)
class ForgetArguments:
    """The options of a call that say how to forget, and what else to do."""

    space: bool
    all_of: str | None
    in_backups: bool
    dry_run: bool
    yes: bool
    output: str | None
    lift: str | None
    resume: bool


def _named(invocation: Invocation, asked: ForgetArguments, given: Mapping[str, Any]) -> None:
    plan, call = performed(invocation, "forget.plan", **given)
    lines = list(plan_lines(plan))
    if plan.is_empty:
        said = WITHIN if plan.repeats else REMNANTS if plan.remnants else NOTHING
        lines = [said, *(lines if plan.repeats else [])]
    if not _agreed(invocation, asked, plan, lines):
        return
    receipt, _ = performed(invocation, "forget.run", call=call, plan=plan.id)
    _tell(invocation, [receipt], asked)


def _agreed(
    invocation: Invocation, asked: ForgetArguments, plan: Any, lines: Iterable[str]
) -> bool:
    # Show a plan; ask unless it is only to be shown.
    if asked.dry_run and invocation.json:
        invocation.emit(plan)
        return False
    if not invocation.json:
        echo_lines(lines)
    if getattr(plan, "is_empty", False):
        raise click.exceptions.Exit(NotFoundError.exit_code)
    if not asked.dry_run:
        confirm(QUESTION, yes=asked.yes)
    return not asked.dry_run


def _spaces(invocation: Invocation, asked: ForgetArguments) -> None:
    home = open_home(invocation)
    known = [info.space for info in home.spaces() if info.space is not None]
    # Under a profile that does not divide by user, memory is that of the user of the settings.
    names = [asked.all_of, *([""] if asked.all_of == invocation.settings().user else [])]
    wanted = [s for s in known if s.user in names] if asked.all_of else [_own(invocation)]
    plans = home.plan_forgetting(wanted)
    if not plans:
        raise NotFoundError(f"{asked.all_of!r} has no space.", hint="List them: unabridged spaces")
    if _agreed(invocation, asked, plans, space_lines(plans)):
        receipts = []
        for plan in plans:
            receipts.append(home.forget(plan))
            invocation.count = plan.exchanges
            enter(invocation, "spaces.forget", plan.space, done=True)
        _tell(invocation, receipts, asked)


def _own(invocation: Invocation) -> SpaceId:
    settings = named(invocation)
    scope = Scope(settings.user, settings.agent, settings.model or None)
    return space_from(scope, settings)


def _tell(invocation: Invocation, receipts: Sequence[Receipt], asked: ForgetArguments) -> None:
    rewritten: list[RewrittenBackup] = []
    if asked.in_backups and receipts:
        with Stages(quiet=invocation.json) as stages:
            rewritten = list(open_safekeeping(invocation).rewritten(moved=stages.show))
        receipts = _settled(
            invocation, receipts, [Path(one.path).name for one in rewritten if not one.trouble]
        )
    if asked.output:
        write_whole(Path(asked.output), dumps(receipts).encode("utf-8"))
    if invocation.json:
        invocation.emit(receipts)
        return
    if not receipts:
        echo("No run was interrupted.", "dim")
    for receipt in receipts:
        echo_lines(receipt_lines(receipt))
    echo_lines(rewritten_lines(rewritten))
    if any(one.trouble for one in rewritten):
        raise click.exceptions.Exit(1)


def _settled(
    invocation: Invocation, receipts: Sequence[Receipt], rewritten: Sequence[str]
) -> list[Receipt]:
    names = {f"backups/{name}" for name in rewritten}
    if all(receipt.what == "space" for receipt in receipts):
        home = open_home(invocation)
        return [home.settle(receipt, names) for receipt in receipts]
    forgetting = open_space(invocation).forgetting
    return [forgetting.settle(receipt.id, names) for receipt in receipts]


def _lift(invocation: Invocation, wanted: str) -> None:
    receipt = open_space(invocation).forgetting.allow_again(wanted)
    enter(invocation, "forget.lift", _own(invocation), done=True)
    invocation.answer(
        receipt,
        "Lifted: the same messages are stored again if they come again. Nothing is brought back.",
    )
