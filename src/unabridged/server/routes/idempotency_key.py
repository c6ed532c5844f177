"""What a POST writes, once: repeated under the same ``Idempotency-Key`` it is not done again.

After draft-ietf-httpapi-idempotency-key-header: the same key with another request is refused (422).
Before it is done, what it will write is noted in the space, in ids; a request that was killed in
between is looked for there when it is repeated. An answer is made again from what was written: no
words of anybody are kept for it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unabridged.errors import UnabridgedError
from unabridged.server.routes.api_calls import ApiCall
from unabridged.server.routes.json_responses import HttpProblem, given
from unabridged.space.idempotency import Done
from unabridged.space.space import Space

What = Mapping[str, Any]
"""Ids and figures of what was written."""
HEADER = "idempotency-key"
LONGEST_KEY = 200
"""Characters of a key."""


def _nothing(_: Space) -> What:
    return {}


def _unknown(_: Space, __: Done) -> What | None:
    return None


@dataclass(frozen=True, slots=True)
class IdempotentWrite:
    """Something that is written once.

    Attributes:
        do: Does it; takes what was planned, and gives what was written.
        show: Gives the answer, from what was written.
        plan: Chooses the ids, before anything is written.
        found: Gives what was written by one that was begun and perhaps killed; None where nothing
            was, and it is done again.
        status: The status of the answer.
    """

    do: Callable[[Space, What], What]
    show: Callable[[Space, What], Any]
    plan: Callable[[Space], What] = _nothing
    found: Callable[[Space, Done], What | None] = _unknown
    status: int = 200


async def perform(call: ApiCall, deed: IdempotentWrite) -> Response:
    """Do something once, and answer.

    Raises:
        HttpProblem: The key was used for another request (422), or cannot be used (400).
        UnabridgedError: It could not be done; the key is free again.
    """
    key = _key(call)
    digest = await _digest(call.request)

    def work(space: Space) -> Any:
        return deed.show(space, _once(space, deed, key, digest))

    return given(await call.run(work), deed.status)


def _once(space: Space, deed: IdempotentWrite, key: str | None, digest: str) -> What:
    if key is None:
        return deed.do(space, deed.plan(space))
    with space.idempotency.one_at_a_time(key):
        return _once_by_key(space, deed, key, digest)


def _once_by_key(space: Space, deed: IdempotentWrite, key: str, digest: str) -> What:
    known = space.idempotency.get(key)
    if known is not None and known.digest != digest:
        raise HttpProblem(
            422,
            "key-reused",
            "This Idempotency-Key was used for another request.",
            hint="Take a fresh key for each request, and the same one to repeat it.",
        )
    if known is not None and known.done:
        return known.what
    if known is not None and (found := deed.found(space, known)) is not None:
        space.idempotency.put(key, digest, found, done=True)
        return found
    planned = known.what if known else deed.plan(space)
    if known is None:
        space.idempotency.clean_up(key)
        space.idempotency.put(key, digest, planned, done=False)
    try:
        what = deed.do(space, planned)
    except (UnabridgedError, HttpProblem):
        space.idempotency.drop(key)
        raise
    space.idempotency.put(key, digest, what, done=True)
    return what


def _key(call: ApiCall) -> str | None:
    given_key = call.request.headers.get(HEADER)
    if given_key is None:
        return None
    if not 0 < len(given_key) <= LONGEST_KEY:
        raise HttpProblem(
            400,
            "key",
            f"An Idempotency-Key has 1 to {LONGEST_KEY} characters.",
            hint="A random UUID serves well.",
        )
    scope = call.scope
    parts = (call.grant.name, scope.user, scope.agent, scope.session or "", given_key)
    return _hash(*(part.encode("utf-8", "surrogatepass") for part in parts))


async def _digest(request: Request) -> str:
    body = await request.body()
    url = f"{request.method} {request.url.path}?{request.url.query}"
    return _hash(url.encode(), body)


def _hash(*parts: bytes) -> str:
    made = blake2b(digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(8))
        made.update(part)
    return made.hexdigest()
