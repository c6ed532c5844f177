"""Writes that are done once: a POST repeated under the same ``Idempotency-Key`` writes nothing.

It follows draft-ietf-httpapi-idempotency-key-header: the same key with another request is refused
(422). Before a write, the space notes the ids of what it will write; if the request is killed, a
repeated one finds them there. The answer is built from what was written: the note has ids only.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Generic, TypeVar

from starlette.requests import Request

from unabridged.domain.permissions import Grant
from unabridged.domain.scope import Scope
from unabridged.errors import UnabridgedError
from unabridged.operations.call import Call
from unabridged.operations.operation import Once, Operation, Params
from unabridged.server.routes.json_responses import HttpProblem

HEADER = "idempotency-key"
LONGEST_KEY = 200
"""Characters of a key."""

P = TypeVar("P", bound=Params)
R = TypeVar("R")


async def perform(
    request: Request, operation: Operation[P, R], params: P, grant: Grant, scope: Scope
) -> Callable[[Call], R]:
    """Return a function that runs an operation; if it writes, once.

    Raises:
        HttpProblem: The key is not valid (400). The function raises it, too, if the key was used
            for another request (422).
    """
    once = operation.once
    if once is None or not once.applies(params):
        return lambda call: operation(call, params)
    key, digest = _key(request, grant, scope), await _digest(request)
    write = _Write(operation, once, params, digest)

    def work(call: Call) -> R:
        if key is None:
            return operation(call, params)
        with call.space.idempotency.one_at_a_time(key):
            return write.do(call, key)

    return work


@dataclass(frozen=True, slots=True)
class _Write(Generic[P, R]):
    """A write that is done once under one key."""

    operation: Operation[P, R]
    once: Once[P, R]
    params: P
    digest: str

    def do(self, call: Call, key: str) -> R:
        """Do it, or build the answer from what was done."""
        once, params, digest, idempotency = (
            self.once,
            self.params,
            self.digest,
            call.space.idempotency,
        )
        known = idempotency.get(key)
        if known is not None and known.digest != digest:
            raise HttpProblem(
                422,
                "key-reused",
                "This Idempotency-Key was used for another request.",
                hint="Use a new key for each request, and the same one to repeat it.",
            )
        if known is not None and known.done:
            return once.show(call, params, known.what)
        if known is not None and (found := once.found(call, params, known)) is not None:
            idempotency.put(key, digest, found, done=True)
            return once.show(call, params, found)
        planned = known.what if known else once.plan(call, params)
        if known is None:
            idempotency.clean_up(key)
            idempotency.put(key, digest, planned, done=False)
        call = replace(call, planned=planned)
        try:
            result = self.operation(call, params)
        except (UnabridgedError, HttpProblem):
            idempotency.drop(key)
            raise
        idempotency.put(key, digest, once.note(call, params, result), done=True)
        return result


def _key(request: Request, grant: Grant, scope: Scope) -> str | None:
    given_key = request.headers.get(HEADER)
    if given_key is None:
        return None
    if not 0 < len(given_key) <= LONGEST_KEY:
        raise HttpProblem(
            400,
            "key",
            f"An Idempotency-Key has 1 to {LONGEST_KEY} characters.",
            hint="Use a random UUID.",
        )
    parts = (grant.name, scope.user, scope.agent, scope.session or "", given_key)
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
