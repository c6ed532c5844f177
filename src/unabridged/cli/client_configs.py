"""Fills in the settings that connect programs to the server."""

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
"""The key for programs that require one while the server needs none."""
A_KEY = "YOUR_API_KEY"
A_TOKEN = "THE_TOKEN"  # noqa: S105 - a placeholder


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """The settings of one program.

    Attributes:
        name: The name that people type.
        title: The program's own name.
        speaks: ``ollama``, ``openai``, ``anthropic`` or ``mcp``.
        form: The format of the text: ``json``, ``yaml``, ``toml``, ``python``, ``javascript``,
            ``sh``, ``ini`` or ``steps``.
        where: The file or place for the text.
        text: What to write, with ``$names`` for values of the server.
        note: A note, or empty.
        names_users: Whether it names its users, which needs an API key.
        checked: The version that it was checked with.
    """

    name: str
    title: str
    speaks: str
    form: str
    where: str
    text: str
    checked: str
    note: str = ""
    names_users: bool = False


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The values of one server.

    Attributes:
        url: Its base address.
        home: Its home folder.
        model: The model to ask for.
        key: An API key, or a placeholder.
        token: The token, or a placeholder.
        token_file: The file of the token.
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
        """Return the values by name."""
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
            hint="List the programs: unabridged connect. For any other, use the address of: "
            "unabridged connect curl",
        )
    return known[name.lower()]


def filled(client: ClientConfig, server: ServerAddress) -> str:
    """Return the text of a client for a server, quoted for its format."""
    quote = _QUOTES.get(client.form, str)
    words = {name: quote(word) for name, word in server.words().items()}
    return string.Template(client.text).substitute(words)


def noted(client: ClientConfig, server: ServerAddress) -> str:
    """Return the note of a client for a server."""
    return string.Template(client.note).substitute(server.words())


def program() -> str:
    """Return the path of the command: desktop programs have no search path."""
    here = Path(sys.argv[0])
    found = str(here.absolute()) if here.stem == "unabridged" else shutil.which("unabridged")
    return found or "unabridged"


def _inside(text: str) -> str:
    return json.dumps(text)[1:-1]


_QUOTES: Mapping[str, Callable[[str], str]] = {
    "json": _inside,
    "yaml": _inside,
    "toml": _inside,
    "python": _inside,
    "javascript": _inside,
    "sh": shlex.quote,
}
