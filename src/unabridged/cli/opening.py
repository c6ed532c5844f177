"""Opens what the settings of a call name: a memory, or the home with all its spaces."""

import sys

from unabridged.cli.options import Invocation
from unabridged.errors import InputError
from unabridged.wiring import Home, Memory


def open_memory(invocation: Invocation) -> Memory:
    """Open the memory that a call names, on the session it names; closed with the call.

    Raises:
        SettingError: A setting cannot be used.
        NotFoundError: No session is called that.
        StoreError: The store cannot be opened.
    """
    memory = Memory.open(settings=invocation.settings())
    invocation.ctx.call_on_close(memory.close)
    wanted = invocation.given("session")
    if wanted and invocation.given("new"):
        raise InputError("--new and --session contradict each other.", hint="Keep one of the two.")
    if invocation.given("new"):
        memory.new_session()
    elif wanted:
        memory.switch(str(wanted))
    elif memory.session is None and memory.sessions():
        memory.switch("1")
    return memory


def open_home(invocation: Invocation) -> Home:
    """Open the home folder that a call names."""
    return Home(invocation.settings())


def words_from(words: tuple[str, ...]) -> str:
    """Join the words of a command line; a ``-`` among them stands for standard input."""
    texts = [sys.stdin.read().rstrip("\n") if word == "-" else word for word in words]
    between = "\n\n" if "-" in words else " "
    return between.join(texts)
