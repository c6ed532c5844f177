"""The editor of a message: history, several lines, pasting."""

from collections.abc import Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

_STYLE = Style.from_dict({"sign": "ansicyan bold", "placeholder": "ansibrightblack"})
# The library draws control characters as ^[ and the like; these would turn the line around.
Char.display_mappings |= dict.fromkeys(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "\ufffd"
)
PLACEHOLDER = "Say something, or /help"


class _CommandNames(Completer):
    """Completes the names of commands at the beginning of a line, on Tab."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def get_completions(  # type: ignore[explicit-override]  # typing.override needs Python 3.12
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the library's signature
    ) -> list[Completion]:
        """Return the commands that begin with the text."""
        text = document.text
        if not text.startswith("/"):
            return []
        fitting = (name for name in self._names if name.startswith(text.lower()))
        return [Completion(name, start_position=-len(text)) for name in fitting]


class Editor:
    """Reads messages from a person; the arrow keys bring back earlier ones.

    Earlier messages come from the store and not from a file, so that no user sees another's, and
    forgotten ones disappear.

    Args:
        said: Earlier messages, oldest first.
        commands: Names of commands, to complete.
    """

    def __init__(self, said: Sequence[str], commands: Sequence[str]) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(list(said)),
            multiline=True,
            key_bindings=_keys(),
            completer=_CommandNames(commands),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            style=_STYLE,
        )

    def type(self, keys: str) -> None:
        """Begin the next message with keys that were typed before."""
        pressed: list[KeyPress] = []
        parser = Vt100Parser(pressed.append)
        parser.feed(keys)
        parser.flush()
        if pressed:
            store_typeahead(self._session.app.input, pressed)

    def read(self, draft: str = "") -> str | None:
        """Read a message; None at Ctrl-D.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed while nothing was typed.
        """
        try:
            return self._session.prompt(
                [("class:sign", "› ")],
                default=draft,
                prompt_continuation="  ",
                placeholder=_placeholder,
            )
        except EOFError:
            return None


def _placeholder() -> StyleAndTextTuples:
    return [] if get_app().is_done else [("class:placeholder", PLACEHOLDER)]


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _clear(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    return keys
