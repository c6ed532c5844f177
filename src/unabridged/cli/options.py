"""The options that commands share, and the settings that a call reads from them."""

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from unabridged.cli.output import echo, echo_json, echo_lines
from unabridged.errors import InputError

if TYPE_CHECKING:
    from unabridged.config import LoadedSettings
    from unabridged.config.agent_settings import ByAgent
    from unabridged.domain.settings import Settings

Item = TypeVar("Item")
_PREFIX = "unabridged."

_OPTIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "home": (
        ("--home",),
        {"metavar": "FOLDER", "help": "The folder where everything is stored."},
    ),
    "profile": (
        ("--profile",),
        {"metavar": "NAME", "help": "Use the settings of a profile: see `unabridged profiles`."},
    ),
    "set": (
        ("--set",),
        {
            "multiple": True,
            "metavar": "NAME=VALUE",
            "help": "Use another value of any setting; repeat for several.",
        },
    ),
    "user": (("--user",), {"metavar": "NAME", "help": "Use the memory of this user."}),
    "agent": (("--agent",), {"metavar": "NAME", "help": "Use the memory of this assistant."}),
    "model": (
        ("--model",),
        {
            "metavar": "NAME",
            "help": "Answer with this model; use its memory, if each model has its own.",
        },
    ),
    "upstream": (
        ("--upstream",),
        {
            "metavar": "KIND",
            "help": "What answers: auto, ollama, openai, anthropic, gguf or quote.  [default: auto]",
        },
    ),
    "ollama_url": (("--ollama", "ollama_url"), {"metavar": "URL", "help": "Use this Ollama."}),
    "openai_url": (
        ("--openai", "openai_url"),
        {"metavar": "URL", "help": "Use this OpenAI-compatible server (…/v1)."},
    ),
    "gguf": (("--gguf",), {"metavar": "PATH", "help": "Answer with this model file, in-process."}),
    "embedder": (
        ("--embedder",),
        {
            "metavar": "NAME",
            "help": "What finds by meaning: static, onnx:REPO/NAME, ollama:MODEL …",
        },
    ),
    "window": (
        ("--window",),
        {
            "type": int,
            "metavar": "TOKENS",
            "help": "Tokens of prompt and answer together.  [default: the model's]",
        },
    ),
    "persona": (
        ("--persona",),
        {"metavar": "NAME|FILE", "help": "Answer as this persona: see `unabridged personas`."},
    ),
    "tools": (
        ("--tools",),
        {
            "multiple": True,
            "metavar": "FILE",
            "help": "Offer the functions of a Python file (FILE or FILE:NAME) in tools mode.",
        },
    ),
    "mode": (
        ("--mode",),
        {
            "type": click.Choice(["chat", "tools"]),
            "help": "Offer tools to the model, or only chat.",
        },
    ),
    "session": (
        ("--session",),
        {
            "metavar": "WHICH",
            "help": "Use this session: its id, title or number in `unabridged sessions`.  "
            "[default: the newest]",
        },
    ),
    "only_session": (
        ("--session",),
        {
            "metavar": "WHICH",
            "help": "Only this session: its id, title or number in `unabridged sessions`.",
        },
    ),
    "new": (("--new",), {"is_flag": True, "help": "Begin a new session."}),
    "ephemeral": (("--ephemeral",), {"is_flag": True, "help": "Store nothing."}),
    "listen": (
        ("--listen",),
        {
            "metavar": "ADDRESS:PORT",
            "help": "Listen here; beyond this machine only with API keys.  "
            "[default: 127.0.0.1:11435]",
        },
    ),
    "log": (
        ("--log",),
        {
            "type": click.Choice(["text", "json", "none"]),
            "help": "Form of the log, a line for each request, never with its words.  "
            "[default: text]",
        },
    ),
    "json": (("--json",), {"is_flag": True, "help": "Write JSON."}),
    "debug": (("--debug",), {"is_flag": True, "help": "Show a traceback with an error."}),
}
_CHOICE = ("home", "profile", "set")
_SCOPE = ("user", "agent", *_CHOICE)
ANSWERING = ("model", "upstream", "ollama_url", "openai_url", "gguf", *_SCOPE)
PLACE = (*_CHOICE, "json")
MEMORY = ("user", "agent", "model", *_CHOICE, "json")
TALK = (
    *("new", "session", "model", "upstream", "ollama_url", "openai_url", "gguf", "window"),
    *("persona", "mode", "tools", "ephemeral", *_SCOPE, "json"),
)
_KINDS = {"ollama_url": "ollama", "openai_url": "openai", "gguf": "gguf"}


class SharedOption(click.Option):
    """An option that several commands have."""


def shared_options(names: Iterable[str]) -> list[click.Parameter]:
    """Make shared options; the ``Invocation`` has their values."""
    made: list[click.Parameter] = []
    for name in dict.fromkeys(names):
        flags, extra = _OPTIONS[name]
        made.append(SharedOption(flags, callback=_keep, expose_value=False, **extra))
    return made


def _config() -> ModuleType:
    from unabridged import config  # noqa: PLC0415 - slow, and help needs none of it

    return config


def example(*lines: str) -> str:
    """Return examples for the end of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value not in (None, False, ()):
        ctx.meta[_PREFIX + str(param.name)] = value


class Invocation:
    """One call of a command: its options, and what it opened.

    Attributes:
        count: The items that it reached, for the audit log.
    """

    def __init__(self, ctx: click.Context) -> None:
        self.ctx = ctx
        self.count = 0

    def given(self, name: str) -> Any:
        """Return the value of a shared option, or None."""
        return self.ctx.meta.get(_PREFIX + name)

    @property
    def json(self) -> bool:
        """Whether JSON is asked for."""
        return bool(self.given("json"))

    def reading(self) -> "LoadedSettings":
        """Read the settings with their sources.

        Raises:
            SettingError: A setting is not valid.
        """
        found: LoadedSettings = _config().read(home=self.given("home"), **self.chosen())
        return found

    def chosen(self) -> dict[str, Any]:
        """Return the settings from options, for ``config.read``."""
        chosen = {name: self.given(name) for name in _config().NAMES if name != "home"}
        kinds = [kind for name, kind in _KINDS.items() if chosen.get(name)]
        if len(kinds) > 1:
            raise InputError(
                "More than one upstream was named.",
                hint="Keep one of --ollama, --openai and --gguf.",
            )
        if kinds and not chosen.get("upstream"):
            chosen["upstream"] = kinds[0]
        if self.given("ephemeral"):
            chosen["store"] = "memory"
        return {**chosen, "exact": self._exact()}

    def _exact(self) -> dict[str, Any]:
        said = {}
        for text in self.given("set") or ():
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"--set {text!r} has no value.", hint="Write --set NAME=VALUE.")
            name = name.strip()
            _config().in_file(name, "--set")
            said[name] = _config().value_from(name, value, "--set")
        return said

    def by_agent(self) -> "ByAgent":
        """Read the settings of every agent; options of the call override them."""
        from unabridged.config.agent_settings import by_agent  # noqa: PLC0415 - as above

        return by_agent(home=self.given("home"), **self.chosen())

    def settings(self) -> "Settings":
        """Read the settings."""
        return self.reading().settings

    def emit(self, data: Any) -> None:
        """Write JSON to standard output."""
        echo_json(data)

    def answer(self, data: Any, *lines: str, empty: str = "") -> None:
        """Write data if JSON is asked for, else lines for people.

        Args:
            data: Data for programs.
            lines: Lines for people.
            empty: The text for people if there is no line.
        """
        if self.json:
            echo_json(data)
        elif lines or not empty:
            echo_lines(lines)
        else:
            echo(empty, "dim")

    def answer_each(self, items: Iterable[Item], show: Callable[[Item], None], empty: str) -> None:
        """Write items as they arrive, each by ``show``; as one list if JSON is asked for."""
        found = []
        for item in items:
            found.append(item)
            if not self.json:
                show(item)
        if self.json:
            echo_json(found)
        elif not found:
            echo(empty, "dim")
