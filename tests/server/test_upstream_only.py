"""The model server's address comes from the settings only, and nothing leads elsewhere."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from unabridged.testing.ollama_server import OllamaEntry, OllamaTestServer

MODEL = "llama3.2:latest"


@contextmanager
def bait(status=200, location=""):
    """A server that must not be asked, or one that sends everybody elsewhere; gives its requests."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            asked.append((self.command, self.path))
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(status)
            if location:
                self.send_header("Location", location + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    for method in ("GET", "POST", "HEAD", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_no_header_and_no_field_names_another_upstream(serving):
    with OllamaTestServer(models=[OllamaEntry(MODEL)]) as upstream, bait() as (elsewhere, asked):
        url = serving(upstream="ollama", ollama_url=upstream.url)
        names = "upstream ollama_url openai_url base_url url host endpoint proxy api_base".split()
        fields = dict.fromkeys(names, elsewhere)
        headers = {
            **{f"x-{name.replace('_', '-')}": elsewhere for name in names},
            **{f"x-unabridged-{name.replace('_', '-')}": elsewhere for name in names},
            "x-original-url": elsewhere,
            "x-rewrite-url": elsewhere,
            "http-proxy": elsewhere,
        }
        said = [{"role": "user", "content": "Hello."}]
        image = {"type": "image_url", "image_url": {"url": f"{elsewhere}/image.png"}}
        seen = [{"role": "user", "content": [{"type": "text", "text": "Look."}, image]}]
        with httpx2.Client(timeout=30, headers=headers) as client:
            for path, body in [
                ("/api/chat", {"messages": said}),
                ("/api/generate", {"prompt": "Hello."}),
                ("/api/show", {}),
                ("/api/embed", {"input": "Hello."}),
                ("/api/pull", {}),
                ("/v1/chat/completions", {"messages": said}),
                ("/v1/chat/completions", {"messages": seen}),
                ("/v1/responses", {"input": "Hello."}),
                ("/v1/embeddings", {"input": "Hello."}),
            ]:
                made = {"model": MODEL, "stream": False, "options": fields, **fields, **body}
                client.post(url + path, json=made)
                client.post(url + path, json={**body, "model": elsewhere, "stream": False})
            for path in (f"/api/{elsewhere}", f"/v1/models/{elsewhere}", "/api//evil.example/x"):
                client.get(url + path)
        assert asked == []
        assert upstream.requests


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_no_redirect_is_followed(serving, kind, status):
    with bait() as (elsewhere, asked), bait(status, elsewhere) as (redirecting, sent):
        where = {"ollama_url": redirecting, "openai_url": f"{redirecting}/v1"}
        url = serving(upstream=kind, model=MODEL, window=8192, openai_key="sk-1234567890", **where)
        said = [{"role": "user", "content": "Hello."}]
        with httpx2.Client(timeout=30) as client:
            for path in ("/api/chat", "/v1/chat/completions"):
                client.post(url + path, json={"model": MODEL, "messages": said, "stream": False})
            client.post(f"{url}/v1/embeddings", json={"model": MODEL, "input": "Hello."})
            client.get(f"{url}/api/tags")
        assert sent, "the upstream of the settings was asked"
        assert asked == []
