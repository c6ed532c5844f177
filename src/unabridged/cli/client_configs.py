"""How to connect programs to the server: a table of settings, and filling them in."""

import json
import shlex
import shutil
import string
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from unabridged.errors import NotFoundError

NO_KEY = "unabridged"
"""The key to send while none is needed: many programs do not work without one."""
A_KEY = "YOUR_API_KEY"
A_TOKEN = "THE_TOKEN"  # noqa: S105 - a placeholder


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """One program.

    Attributes:
        name: What it is called here.
        title: What it is called.
        speaks: ``ollama``, ``openai`` or ``mcp``.
        form: How the text is written: ``json``, ``yaml``, ``python``, ``javascript``, ``sh``,
            ``ini`` or ``steps``.
        where: The file or place that it belongs into.
        text: What to write, with ``$names`` for what differs.
        note: What else to know.
        checked: What it was checked against.
    """

    name: str
    title: str
    speaks: str
    form: str
    where: str
    text: str
    checked: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """What differs from server to server.

    Attributes:
        url: Its base address.
        home: Its home folder.
        model: The model to ask for.
        key: An API key, or what stands for one.
        token: The token, or what stands for it.
        token_file: Where the token lies.
        program: The command ``unabridged``.
    """

    url: str
    home: str
    model: str
    key: str
    token: str
    token_file: str
    program: str

    def words(self) -> dict[str, str]:
        """What the names of a text stand for."""
        return {
            "url": self.url,
            "v1": f"{self.url}/v1",
            "mcp": f"{self.url}/mcp",
            "home": self.home,
            "model": self.model,
            "key": self.key,
            "token": self.token,
            "token_file": self.token_file,
            "program": self.program,
        }


def clients() -> dict[str, ClientConfig]:
    """Return every client of the table, by name."""
    file = resources.files("unabridged.cli") / "data" / "clients.toml"
    rows = tomllib.loads(file.read_text("utf-8"))
    return {name: ClientConfig(name, **row) for name, row in rows.items()}


def client_of(name: str) -> ClientConfig:
    """Return the client of a name.

    Raises:
        NotFoundError: There is none.
    """
    known = clients()
    if name.lower() not in known:
        raise NotFoundError(
            f"There are no settings for {name!r} here.",
            hint="`unabridged connect` lists the programs; any other takes the address that "
            "`unabridged connect curl` shows.",
        )
    return known[name.lower()]


def filled(client: ClientConfig, server: ServerAddress) -> str:
    """Return the text of a client for a server, quoted as its form wants it."""
    quote = _QUOTES.get(client.form, str)
    words = {name: quote(word) for name, word in server.words().items()}
    return string.Template(client.text).substitute(words)


def noted(client: ClientConfig, server: ServerAddress) -> str:
    """Return the note of a client for a server."""
    return string.Template(client.note).substitute(server.words())


def program() -> str:
    """Return the path of the command: programs with windows know no search path."""
    here = Path(sys.argv[0])
    found = str(here.absolute()) if here.stem == "unabridged" else shutil.which("unabridged")
    return found or "unabridged"


def _inside(text: str) -> str:
    return json.dumps(text)[1:-1]


_QUOTES: Mapping[str, Callable[[str], str]] = {
    "json": _inside,
    "yaml": _inside,
    "python": _inside,
    "javascript": _inside,
    "sh": shlex.quote,
}
