"""The routes of the two dialects, in the order in which they are looked at."""

from starlette.routing import BaseRoute

from unabridged.server import listing, passing


def dialect_routes() -> list[BaseRoute]:
    """Give every route under ``/api`` and ``/v1``; the last ones answer whatever no other does."""
    return [*listing.ROUTES, *passing.ROUTES]
