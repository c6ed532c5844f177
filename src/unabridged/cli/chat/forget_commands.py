"""Commands of the chat that forget for good."""

from unabridged.cli.chat.chat_session import Chat
from unabridged.cli.chat.command import ChatCommand, last
from unabridged.cli.views.forgetting import plan_lines, receipt_lines
from unabridged.domain.forgetting import ForgetPlan
from unabridged.errors import InputError

TOPIC = "topic "
"""What stands before words where everything that has them shall go."""


def _forget(chat: Chat, wanted: str) -> None:
    plan = _planned(chat, wanted.strip())
    if plan.is_empty:
        chat.screen.note("Nothing of the kind was said.")
        return
    chat.screen.say(plan_lines(plan))
    if not chat.screen.interactive:
        raise InputError(
            "Nobody can be asked here.", hint="Outside the chat: unabridged forget ID --yes"
        )
    chat.screen.note("Forget this for good? Write yes; anything else keeps it.")
    if (chat.screen.read("") or "").strip().lower() != "yes":
        chat.screen.note("Nothing was forgotten.")
        return
    receipt = chat.space.forgetting.execute(plan)
    chat.found.clear()
    chat.screen.open(
        chat.conversation, chat.commands
    )  # what the arrow keys bring back is read anew
    chat.screen.say(receipt_lines(receipt))


def _planned(chat: Chat, wanted: str) -> ForgetPlan:
    forgetting = chat.space.forgetting
    if not wanted:
        return forgetting.plan([last(chat).id])
    if wanted.lower().startswith(TOPIC):
        return forgetting.plan(search=wanted[len(TOPIC) :])
    if wanted.isdecimal() and len(wanted) < 4:
        number = int(wanted)
        if not 0 < number <= len(chat.found):
            raise InputError(
                f"The last search showed no number {wanted}.", hint="/search WORDS, then /forget 1"
            )
        return forgetting.plan([chat.found[number - 1]])
    return forgetting.plan([wanted])


COMMANDS = (
    ChatCommand(
        "/forget",
        "[NUMBER|topic WORDS]",
        "Forget the last exchange for good, one that /search showed, or all that has the words.",
        _forget,
    ),
)
