"""Commands of the chat that look into memory: search, accounts, figures, condensations."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import LISTED, VERBOSE, current
from unabridged.cli.format import count
from unabridged.cli.paint import colour_out, width
from unabridged.cli.views import lists
from unabridged.cli.views.annotations import (
    annotated_lines,
    annotation_lines,
    called,
    distribution_lines,
    scheme_lines,
)
from unabridged.cli.views.condensations import condensation_lines, expanded_lines, outlook_lines
from unabridged.cli.views.context_report import (
    account_lines,
    account_of,
    detail_lines,
    titles_of,
)
from unabridged.cli.views.found import found_lines, loosely, nothing_lines
from unabridged.cli.views.stats import figures_lines

FOUND = 10
"""The most results of a search to show."""
ANNOTATED = 5
"""The number of newest exchanges to show with annotations."""
MOST_ANNOTATED = 500
"""Exchanges that are annotated before their distribution is shown: about a second."""


def why(chat: Chat, wanted: str) -> None:
    """Show what the last prompt held, and why."""
    words = wanted.split()
    names = [word for word in words if word.lstrip("-") not in VERBOSE]
    name = names[0] if names else None
    account = account_of(chat.space, name)
    if len(names) < len(words):
        chat.screen.say(detail_lines(account, width(), colour=colour_out()))
        return
    titles = titles_of(chat.space, account)
    chat.screen.say(account_lines(account, width(), colour=colour_out(), titles=titles))
    chat.screen.say([""])
    chat.screen.note(f"/why {f'{name} ' if name else ''}verbose shows ids and figures")


def search(chat: Chat, query: str) -> None:
    """Find exchanges."""
    found = chat.perform("search", query=query, limit=FOUND)
    chat.found = [one.exchange.id for one in found]
    if not found:
        chat.screen.say(nothing_lines(query, chat.perform("search", **loosely(query))))
        return
    chat.screen.say(line for one in found for line in found_lines(one, query))
    chat.screen.note("/forget NUMBER forgets one of them; the first is 1")


def stats(chat: Chat, _: str) -> None:
    """Show what is stored, known and condensed."""
    chat.screen.say(figures_lines(chat.perform("stats")))


def tokens(chat: Chat, _: str) -> None:
    """Show the parts of the last window."""
    ledger = account_of(chat.space, None).ledger
    chat.screen.say(lists.token_lines(chat.space.contexts.tokens(), ledger))
    chat.screen.note(
        "reserve is left over from the window; unused is excluded from memory by a setting"
    )


def save(chat: Chat, _: str) -> None:
    """Save now, if auto_save is off."""
    saved = sum(space.log.save() for space in chat.held)
    chat.screen.note(f"Saved {count(saved, 'write')}." if saved else "Everything is saved.")


def categories(chat: Chat, _: str) -> None:
    """Show the categories and the last annotations."""
    annotations, newest = chat.space.annotations, chat.conversation.history(ANNOTATED)
    chat.screen.say([*scheme_lines(chat.perform("annotations.scheme")), ""])
    chat.screen.say(annotation_lines(newest, annotations.of(newest)))
    chat.screen.note("/semantic set ID CATEGORY corrects one")


def distribution(chat: Chat, _: str) -> None:
    """Show how often each category occurs."""
    for _step in chat.space.annotations.read_pending(MOST_ANNOTATED):
        pass  # the distribution needs the annotations, not the steps
    chat.screen.say(distribution_lines(chat.perform("annotations.stats")))


def set_category(chat: Chat, text: str) -> None:
    """Correct the category of a message."""
    wanted, category = text.split(maxsplit=1)
    reading = chat.perform("annotations.set", exchange=wanted, category=category)
    chat.screen.say(annotated_lines([reading], chat.call))
    chat.screen.note(f"What you said there now counts as {called(category.lower())}.")


def condense(chat: Chat, _: str) -> None:
    """Condense this session if it is due; originals stay."""
    session, memory = current(chat).id, chat.space.contexts.last_memory()
    outlook = chat.space.condensations.condense(session, threshold=memory)
    chat.screen.say(outlook_lines(outlook, test=False))
    if not outlook.made:
        chat.screen.note("/condense test shows what a run would do; /condense force runs it")


def preview_condensing(chat: Chat, _: str) -> None:
    """Show what condensing would do."""
    session, memory = current(chat).id, chat.space.contexts.last_memory()
    outlook = chat.space.condensations.plan(session, threshold=memory)
    chat.screen.say(outlook_lines(outlook, test=True))


def force_condensing(chat: Chat, _: str) -> None:
    """Condense this session now."""
    outlook = chat.perform("condensations.add", session=current(chat).id, force=True)
    chat.screen.say(outlook_lines(outlook, test=False))
    if outlook.usable:
        chat.screen.note("/expand ID shows the exchanges that a condensation replaces")


def expand(chat: Chat, wanted: str) -> None:
    """List condensations, or show the originals."""
    if wanted:
        chat.screen.say(expanded_lines(chat.perform("condensations.expand", condensation=wanted)))
        return
    held = chat.space.condensations.condensations()
    if not held:
        chat.screen.note("Nothing is condensed yet. /condense test shows what would be.")
        return
    chat.screen.say(condensation_lines(held[-LISTED:]))
    chat.screen.note("/expand ID shows the exchanges that one replaces")
