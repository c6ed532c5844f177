"""The routes of the two dialects, in the order in which they are looked at."""

from starlette.routing import BaseRoute

from unabridged.server import (
    chat_ollama,
    chat_openai,
    completions,
    generate,
    model_lists,
    passthrough,
    responses,
)

_MODULES = (chat_ollama, chat_openai, generate, responses, completions, model_lists, passthrough)


def dialect_routes() -> list[BaseRoute]:
    """Give every route under ``/api`` and ``/v1``; the last ones answer whatever no other does."""
    return [route for module in _MODULES for route in module.ROUTES]
