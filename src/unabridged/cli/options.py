"""The options that commands share, and what they open: settings and a memory."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from unabridged import config
from unabridged.cli.output import echo_json, echo_lines
from unabridged.config.agent_settings import ByAgent, by_agent
from unabridged.domain.settings import Settings
from unabridged.errors import InputError

Command = TypeVar("Command", bound=Callable[..., Any])

_PREFIX = "unabridged."

_OPTIONS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "home": (("--home",), {"metavar": "FOLDER", "help": "Where everything is kept."}),
    "profile": (
        ("--profile",),
        {"metavar": "NAME", "help": "Settings of a profile: see `unabridged profiles`."},
    ),
    "set": (
        ("--set",),
        {
            "multiple": True,
            "metavar": "NAME=VALUE",
            "help": "Any setting, for this call; may be given several times.",
        },
    ),
    "user": (("--user",), {"metavar": "NAME", "help": "Whose memory it is."}),
    "agent": (("--agent",), {"metavar": "NAME", "help": "Which assistant's memory it is."}),
    "model": (
        ("--model",),
        {
            "metavar": "NAME",
            "help": "The model that answers; also whose memory it is, where models are apart.",
        },
    ),
    "upstream": (
        ("--upstream",),
        {"metavar": "KIND", "help": "What answers: auto, ollama, openai, gguf or quote."},
    ),
    "ollama_url": (("--ollama", "ollama_url"), {"metavar": "URL", "help": "Talk to this Ollama."}),
    "openai_url": (
        ("--openai", "openai_url"),
        {"metavar": "URL", "help": "Talk to this OpenAI-compatible server (…/v1)."},
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
        {"type": int, "metavar": "TOKENS", "help": "Tokens of prompt and answer together."},
    ),
    "persona": (
        ("--persona",),
        {"metavar": "NAME|FILE", "help": "Who answers: see `unabridged personas`."},
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
        {"type": click.Choice(["chat", "tools"]), "help": "Whether tools are offered."},
    ),
    "session": (
        ("--session",),
        {
            "metavar": "WHICH",
            "help": "A session: its id, title or number in `sessions`; where sessions are isolated, an id that may be new.",
        },
    ),
    "new": (("--new",), {"is_flag": True, "help": "Begin a new session."}),
    "ephemeral": (("--ephemeral",), {"is_flag": True, "help": "Keep nothing of it."}),
    "listen": (
        ("--listen",),
        {"metavar": "ADDRESS:PORT", "help": "Where to listen; beyond this machine with keys only."},
    ),
    "log": (
        ("--log",),
        {
            "type": click.Choice(["text", "json", "none"]),
            "help": "How a line is written for each request; it never holds what was said.",
        },
    ),
    "json": (("--json",), {"is_flag": True, "help": "Write JSON."}),
    "debug": (("--debug",), {"is_flag": True, "help": "Show a traceback with an error."}),
}
_CHOICE = ("profile", "set")
_SCOPE = ("home", "user", "agent", *_CHOICE)
_SERVED = ("model", "upstream", "ollama_url", "openai_url", "gguf", "window")
PLACE = ("home", *_CHOICE, "json")
MEMORY = (*_SCOPE, "model", "json")
TALK = (*_SCOPE, *_SERVED, "persona", "tools", "mode", "session", "new", "ephemeral", "json")
_KINDS = {"ollama_url": "ollama", "openai_url": "openai", "gguf": "gguf"}
_SETTINGS = frozenset(config.NAMES)


def common(*names: str) -> Callable[[Command], Command]:
    """Give a command shared options; their values are kept for its ``Invocation``."""

    def decorate(command: Command) -> Command:
        for name in reversed(dict.fromkeys(names)):
            flags, extra = _OPTIONS[name]
            command = click.option(*flags, callback=_keep, expose_value=False, **extra)(command)
        return command

    return decorate


def example(*lines: str) -> str:
    """Give the examples of a command as the end of its help."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def confirm(question: str, *, yes: bool) -> None:
    """Ask a person, unless ``--yes`` says so already; anything but yes ends the call.

    Raises:
        InputError: Nobody can be asked.
    """
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("Nobody can be asked here.", hint="Add --yes where it shall be done.")
    click.confirm(question, abort=True)


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value not in (None, False, ()):
        ctx.meta[_PREFIX + str(param.name)] = value


class Invocation:
    """One call of a command: what was asked for, and what it opened."""

    def __init__(self, ctx: click.Context) -> None:
        self.ctx = ctx

    def given(self, name: str) -> Any:
        """Give the value of a shared option, or None."""
        return self.ctx.meta.get(_PREFIX + name)

    @property
    def json(self) -> bool:
        """Whether JSON is asked for."""
        return bool(self.given("json"))

    def reading(self) -> config.LoadedSettings:
        """Read the settings, with where each came from.

        Raises:
            SettingError: A setting cannot be used.
        """
        return config.read(home=self.given("home"), **self.chosen())

    def chosen(self) -> dict[str, Any]:
        """Give the settings that options name, as ``config.read`` takes them."""
        chosen = {name: self.given(name) for name in _SETTINGS - {"home"}}
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
        return {**chosen, "exact": self._set()}

    def _set(self) -> dict[str, Any]:
        said = {}
        for text in self.given("set") or ():
            name, equals, value = text.partition("=")
            if not equals:
                raise InputError(f"--set {text!r} has no value.", hint="Write --set NAME=VALUE.")
            name = name.strip()
            config.in_file(name, "--set")
            said[name] = config.value_from(name, value, "--set")
        return said

    def by_agent(self) -> ByAgent:
        """Read the settings of every agent, with the options of the call over all of them."""
        return by_agent(home=self.given("home"), **self.chosen())

    def settings(self) -> Settings:
        """Read the settings."""
        return self.reading().settings

    def emit(self, data: Any) -> None:
        """Write JSON to standard output."""
        echo_json(data)

    def answer(self, data: Any, *lines: str) -> None:
        """Write data where JSON is asked for, else lines for people."""
        if self.json:
            echo_json(data)
        else:
            echo_lines(lines)


def invoked(command: Callable[..., Any]) -> Callable[..., Any]:
    """Hand a command its ``Invocation`` as first argument."""

    @click.pass_context
    def with_invocation(ctx: click.Context, /, *args: Any, **kwargs: Any) -> Any:
        return ctx.invoke(command, Invocation(ctx), *args, **kwargs)

    with_invocation.__name__ = command.__name__
    with_invocation.__doc__ = command.__doc__
    return with_invocation
