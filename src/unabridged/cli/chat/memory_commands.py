"""Commands of the chat about what is remembered: facts, pins, requirements, forgetting."""

from collections.abc import Callable
from typing import Any

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import LISTED, VERBOSE, last, quoted
from unabridged.cli.format import count
from unabridged.cli.views import lists
from unabridged.cli.views.facts import fact_card, fact_lines
from unabridged.cli.views.forgetting import plan_lines, receipt_lines
from unabridged.cli.views.requirements import conflict_lines, requirement_card, requirement_lines
from unabridged.errors import InputError

TOPIC = "topic "
"""Before words, to forget everything that contains them."""
LONGEST_NUMBER = 3
"""The most digits of a number in a list; an id is longer."""


def facts(chat: Chat, _: str) -> None:
    """List what is known about you."""
    known = chat.perform("facts.list")
    if not known:
        chat.screen.note("Nothing is known yet. /facts add TEXT adds a fact.")
        return
    older = max(0, len(known) - LISTED)
    shown = known[older:]
    chat.screen.say(fact_lines(shown, first=older + 1))
    signs = (
        ("● every prompt has it", any(fact.pinned for fact in shown)),
        ("≠ contradicts another", any(fact.disputed_by for fact in shown)),
        ("/facts why NUMBER shows where a fact comes from", True),
    )
    chat.screen.note(" · ".join(text for text, there in signs if there))
    if older:
        chat.screen.note(f"{count(older, 'older fact')}: unabridged facts")


def noted(
    about: str, operation: str, name: str, note: Callable[[Any], str], **fixed: Any
) -> Callable[[Chat, str], None]:
    """Make a command that runs an operation and shows one remark.

    Args:
        about: Its help.
        operation: The name of the operation.
        name: The parameter that the text after the command is.
        note: Returns the remark on the result.
        fixed: Other parameters.
    """

    def run(chat: Chat, given: str) -> None:
        chat.screen.note(note(chat.perform(operation, **{name: given}, **fixed)))

    run.__doc__ = about
    return run


add_fact = noted("Add a fact.", "facts.add", "text", lambda fact: f"Added: {quoted(fact.text)}.")
pin_fact = noted(
    "Put a fact into every prompt.",
    "facts.edit",
    "fact",
    lambda fact: f"Pinned; every prompt has it: {quoted(fact.text)}.",
    pinned=True,
)
unpin_fact = noted(
    "Use a fact only when relevant.",
    "facts.edit",
    "fact",
    lambda fact: f"Unpinned; used only when relevant: {quoted(fact.text)}.",
    pinned=False,
)
withdraw_fact = noted(
    "Withdraw a fact; what you said stays.",
    "facts.withdraw",
    "fact",
    lambda fact: f"Withdrawn: {quoted(fact.text)}. What you said stays stored.",
)
remember = noted(
    "Pin a text: every prompt has it.",
    "pins.add",
    "text",
    lambda _: "Pinned: every prompt has it from now on. /pins lists what is pinned.",
)
withdraw_requirement = noted(
    "Withdraw one.",
    "requirements.withdraw",
    "requirement",
    lambda gone: f"Withdrawn: {gone.id}. What was said stays stored.",
)


def show_fact(chat: Chat, wanted: str) -> None:
    """Show where a fact comes from, word for word."""
    name, _, more = wanted.partition(" ")
    if more.lstrip("-") not in {"", *VERBOSE}:
        raise InputError(f"/facts why does not take {more!r}.", hint=f"/facts why {name} verbose")
    chat.screen.say(fact_card(chat.perform("facts.get", fact=name), verbose=bool(more)))
    if not more:
        chat.screen.note(f"/facts why {name} verbose shows ids too")


def pin(chat: Chat, wanted: str) -> None:
    """Pin what you said last, or in another exchange."""
    pinned = chat.perform("pins.add", exchange=wanted or last(chat).id)
    chat.screen.note(f"Pinned: {quoted(pinned.text)}. /pins lists what is pinned.")


def pins(chat: Chat, _: str) -> None:
    """List what is pinned."""
    held = chat.perform("pins.list")
    if not held:
        chat.screen.note("Nothing is pinned. /remember TEXT pins a text.")
    chat.screen.say(lists.pin_lines(held))


def unpin(chat: Chat, wanted: str) -> None:
    """Remove a pin."""
    if not wanted:
        pins(chat, "")
        return
    chat.screen.note(f"No longer pinned: {quoted(chat.perform('pins.remove', pin=wanted).text)}.")


def requirements(chat: Chat, _: str) -> None:
    """List the requirements."""
    held = chat.perform("requirements.list")
    if not held:
        chat.screen.note("No requirements yet. /requirements add TEXT adds one.")
        return
    chat.screen.say(requirement_lines(held[-LISTED:]))
    chat.screen.note("/requirements show NUMBER shows where one comes from")
    if len(held) > LISTED:
        older = count(len(held) - LISTED, "older requirement")
        chat.screen.note(f"{older}: unabridged requirements")


def show_requirement(chat: Chat, wanted: str) -> None:
    """Show one with its fields and source."""
    each = chat.perform("requirements.get", requirement=wanted)
    chat.screen.say(requirement_card(each))
    if each.quote and each.quote != each.text:
        chat.screen.note(f"Said as: “{each.quote}”")


def add_requirement(chat: Chat, text: str) -> None:
    """Add a requirement."""
    chat.screen.say(requirement_lines([chat.perform("requirements.add", text=text)]))


def edit_requirement(chat: Chat, text: str) -> None:
    """Change the words of one."""
    wanted, words = text.split(maxsplit=1)
    each = chat.perform("requirements.edit", requirement=wanted, text=words)
    chat.screen.say(requirement_lines([each]))
    chat.screen.note(f"Its earlier words: unabridged requirements history {each.id}")


def conflicts(chat: Chat, _: str) -> None:
    """Show those that contradict each other."""
    pairs = chat.perform("requirements.conflicts")
    if not pairs:
        chat.screen.note("No requirements contradict each other.")
    chat.screen.say(conflict_lines(pairs))


def forget(chat: Chat, wanted: str) -> None:
    """Forget for good the last exchange, a result of /search, or all with the words."""
    from unabridged.cli.local_call import perform_named  # noqa: PLC0415 - slow, and a chat begins without it

    call = chat.call
    plan = perform_named(call, "forget.plan", **_wanted(chat, wanted))
    if plan.is_empty:
        chat.screen.note("Nothing matches.")
        return
    chat.screen.say(plan_lines(plan))
    if not chat.screen.interactive:
        raise InputError(
            "Cannot ask for confirmation: not a terminal.", hint="unabridged forget ID --yes"
        )
    if not chat.confirm("Forget this for good?"):
        chat.screen.note("Nothing was forgotten.")
        return
    receipt = perform_named(call, "forget.run", plan=plan.id)
    chat.found.clear()
    chat.screen.open(chat.conversation, chat.commands)  # the arrow keys must not bring it back
    chat.screen.say(receipt_lines(receipt))


def _wanted(chat: Chat, wanted: str) -> dict[str, Any]:
    if not wanted:
        return {"exchanges": [last(chat).id]}
    if wanted.lower().startswith(TOPIC):
        return {"search": wanted[len(TOPIC) :]}
    if wanted.isdecimal() and len(wanted) <= LONGEST_NUMBER:
        number = int(wanted)
        if not 0 < number <= len(chat.found):
            raise InputError(
                f"The last search has no result {wanted}.", hint="/search WORDS, then /forget 1"
            )
        return {"exchanges": [chat.found[number - 1]]}
    return {"exchanges": [wanted]}
