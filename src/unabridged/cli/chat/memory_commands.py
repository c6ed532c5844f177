"""Commands of the chat about what is remembered: facts, pins, requirements, forgetting."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import LISTED, VERBOSE, last, quoted
from unabridged.cli.format import count
from unabridged.cli.views import lists
from unabridged.cli.views.facts import fact_card, fact_lines
from unabridged.cli.views.forgetting import plan_lines, receipt_lines
from unabridged.cli.views.requirements import conflict_lines, requirement_card, requirement_lines
from unabridged.domain.forgetting import ForgetPlan
from unabridged.errors import InputError

TOPIC = "topic "
"""Before words, to forget everything that contains them."""
LONGEST_NUMBER = 3
"""The most digits of a number in a list; an id is longer."""


def facts(chat: Chat, _: str) -> None:
    """List what is known about you."""
    known = chat.space.facts.all()
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


def add_fact(chat: Chat, text: str) -> None:
    """Add a fact."""
    chat.screen.note(f"Added: {quoted(chat.space.facts.add(text).text)}.")


def show_fact(chat: Chat, wanted: str) -> None:
    """Show where a fact comes from, word for word."""
    name, _, more = wanted.partition(" ")
    if more.lstrip("-") not in {"", *VERBOSE}:
        raise InputError(f"/facts why does not take {more!r}.", hint=f"/facts why {name} verbose")
    chat.screen.say(fact_card(chat.space.facts.get(name), verbose=bool(more)))
    if not more:
        chat.screen.note(f"/facts why {name} verbose shows ids too")


def pin_fact(chat: Chat, wanted: str) -> None:
    """Put a fact into every prompt."""
    fact = chat.space.facts.pin(wanted)
    chat.screen.note(f"Pinned; every prompt has it: {quoted(fact.text)}.")


def unpin_fact(chat: Chat, wanted: str) -> None:
    """Use a fact only when relevant."""
    fact = chat.space.facts.unpin(wanted)
    chat.screen.note(f"Unpinned; used only when relevant: {quoted(fact.text)}.")


def withdraw_fact(chat: Chat, wanted: str) -> None:
    """Withdraw a fact; what you said stays."""
    fact = chat.space.facts.withdraw(wanted)
    chat.screen.note(f"Withdrawn: {quoted(fact.text)}. What you said stays stored.")


def remember(chat: Chat, text: str) -> None:
    """Pin a text: every prompt has it."""
    chat.space.pins.add(text)
    chat.screen.note("Pinned: every prompt has it from now on. /pins lists what is pinned.")


def pin(chat: Chat, wanted: str) -> None:
    """Pin what you said last, or in another exchange."""
    pinned = chat.space.pins.add_exchange(chat.space.log.get(wanted) if wanted else last(chat))
    chat.screen.note(f"Pinned: {quoted(pinned.text)}. /pins lists what is pinned.")


def pins(chat: Chat, _: str) -> None:
    """List what is pinned."""
    held = chat.space.pins.all()
    if not held:
        chat.screen.note("Nothing is pinned. /remember TEXT pins a text.")
    chat.screen.say(lists.pin_lines(held))


def unpin(chat: Chat, wanted: str) -> None:
    """Remove a pin."""
    if not wanted:
        pins(chat, "")
        return
    chat.screen.note(f"No longer pinned: {quoted(chat.space.pins.remove(wanted).text)}.")


def requirements(chat: Chat, _: str) -> None:
    """List the requirements."""
    held = chat.space.requirements.all()
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
    each = chat.space.requirements.get(wanted)
    chat.screen.say(requirement_card(each))
    if each.quote and each.quote != each.text:
        chat.screen.note(f"Said as: “{each.quote}”")


def add_requirement(chat: Chat, text: str) -> None:
    """Add a requirement."""
    chat.screen.say(requirement_lines([chat.space.requirements.add(text)]))


def edit_requirement(chat: Chat, text: str) -> None:
    """Change the words of one."""
    wanted, words = text.split(maxsplit=1)
    each = chat.space.requirements.edit(wanted, text=words)
    chat.screen.say(requirement_lines([each]))
    chat.screen.note(f"Its earlier words: unabridged requirements history {each.id}")


def withdraw_requirement(chat: Chat, wanted: str) -> None:
    """Withdraw one."""
    gone = chat.space.requirements.withdraw(wanted)
    chat.screen.note(f"Withdrawn: {gone.id}. What was said stays stored.")


def conflicts(chat: Chat, _: str) -> None:
    """Show those that contradict each other."""
    pairs = chat.space.requirements.conflicts()
    if not pairs:
        chat.screen.note("No requirements contradict each other.")
    chat.screen.say(conflict_lines(pairs))


def forget(chat: Chat, wanted: str) -> None:
    """Forget for good the last exchange, a result of /search, or all with the words."""
    plan = _planned(chat, wanted)
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
    receipt = chat.space.forgetting.execute(plan)
    chat.found.clear()
    chat.screen.open(chat.conversation, chat.commands)  # the arrow keys must not bring it back
    chat.screen.say(receipt_lines(receipt))


def _planned(chat: Chat, wanted: str) -> ForgetPlan:
    forgetting = chat.space.forgetting
    if not wanted:
        return forgetting.plan([last(chat).id])
    if wanted.lower().startswith(TOPIC):
        return forgetting.plan(search=wanted[len(TOPIC) :])
    if wanted.isdecimal() and len(wanted) <= LONGEST_NUMBER:
        number = int(wanted)
        if not 0 < number <= len(chat.found):
            raise InputError(
                f"The last search has no result {wanted}.", hint="/search WORDS, then /forget 1"
            )
        return forgetting.plan([chat.found[number - 1]])
    return forgetting.plan([wanted])
