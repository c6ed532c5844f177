"""Our server before a strict upstream, and a client that speaks one dialect to it."""

from contextlib import contextmanager

import httpx2
from tests.helpers.arrivals import PATHS, Sent, faults
from tests.helpers.client_talks import ANTHROPIC, OLLAMA, OPENAI, body_of
from tests.helpers.strict_server import StrictServer

UPSTREAM_PATHS = {dialect: PATHS[dialect] for dialect in (OPENAI, OLLAMA, ANTHROPIC)}
WITHOUT_GPU = 32_768
"""The window up to which Ollama's grows on a machine without a GPU."""
HEADERS = {"anthropic-version": "2023-06-01", "x-api-key": "sk-ant-any"}


def address(dialect, server):
    """The settings that put our server before this one."""
    if dialect == OPENAI:
        return {"upstream": "openai", "openai_url": f"{server.url}/v1"}
    if dialect == OLLAMA:
        return {"upstream": "ollama", "ollama_url": server.url}
    return {"upstream": "anthropic", "anthropic_url": server.url}


class Door:
    """A client before our server, which is before a strict upstream."""

    def __init__(self, url, server, upstream, client):
        self.url, self.server, self.upstream, self.client = url, server, upstream, client

    def post(self, dialect, body, **headers):
        """Send a body as a client does; the answer is read to its end."""
        return self.client.post(
            f"{self.url}{PATHS[dialect]}", json=body, headers={**HEADERS, **headers}
        )

    def ask(self, dialect, body, **headers):
        """Send a body and give what the upstream got of it, or fail with the refusal."""
        answer = self.post(dialect, body, **headers)
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text[:400]}"
        return self.upstream_body()

    def upstream_body(self):
        """The newest body that the upstream answered."""
        return self.server.accepted[-1].body

    def speaks(self, dialect):
        """Whether our server answers the dialect at all."""
        answer = self.post(dialect, {"model": next(iter(self.server.models))})
        self.server.clear()
        return answer.status_code != 404

    def put(self, talk, dialect, model, *, stream=False):
        """Send a talk; give the answer's status and what is wrong with what arrived."""
        body = body_of(talk, dialect, model, stream=stream)
        seen = len(self.server.chats)
        answer = self.post(dialect, body)
        window = self.server.models[model].window
        sent = Sent(
            dialect,
            self.upstream,
            body,
            min(window, WITHOUT_GPU) if self.upstream == OLLAMA else window,
            talk.in_loop,
            answer.status_code,
            dict(answer.headers),
            answer.text,
        )
        path = UPSTREAM_PATHS[self.upstream]
        chats = [chat for chat in self.server.chats[seen:] if chat.dialect == path]
        refused = [chat.status for chat in chats if chat.status >= 400]
        found = faults(sent, chats)
        return sent, [f"{fault} (upstream: {refused})" if refused else fault for fault in found]


@contextmanager
def opened(serving, upstream, script="Yes.", *, models=None, strict=None, **settings):
    """Start both servers; the strict one ends here, ours with the test."""
    given = {"models": models} if models else {}
    with StrictServer(script, strict=strict, **given) as server:
        url = serving(**address(upstream, server), **settings)
        with httpx2.Client(timeout=120) as client:
            yield Door(url, server, upstream, client)


@contextmanager
def direct(upstream, script="Yes.", **options):
    """The same client straight to a strict server: what a program has without us."""
    with StrictServer(script, **options) as server, httpx2.Client(timeout=120) as client:
        yield Door(server.url, server, upstream, client)
