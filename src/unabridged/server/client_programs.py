"""What is known about the programs that ask: by how they name themselves."""

from starlette.requests import Request

COMPACTING = (
    "codex",
    "claude-cli/",
    "qwencode/",
    "opencode/",
    "cline/",
    "roocode/",
    "kilo-code/",
    "goose/",
    "geminicli/",
)
"""Beginnings of the User-Agent, in lower case, of programs that compact their own history when a
request is refused for its length."""


def compacts(request: Request) -> bool:
    """Return whether the program that asks compacts its history when it is refused."""
    return request.headers.get("user-agent", "").lower().startswith(COMPACTING)
