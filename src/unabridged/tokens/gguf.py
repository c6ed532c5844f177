"""A GGUF model's own tokenizer, through the ``/tokenize`` of llama.cpp's server in this process.

The request and the answer are those of llama.cpp ``tools/server/README.md``, section "POST
/tokenize". It can share the server that answers; else it starts a small one, whose weights are
mapped, not read.
"""

import http.client
import json
import secrets
from collections.abc import Mapping
from importlib import import_module
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from unabridged.errors import MissingExtraError, SettingError, UpstreamError
from unabridged.net.llama_cpp import start_server
from unabridged.tokens.cache import Memo
from unabridged.tokens.estimate import EstimateTokenizer

WAIT = 60.0
"""Seconds that one count may take."""


class GgufTokenizer:
    """Counts with the tokenizer of a GGUF file; loads it at the first count.

    Args:
        path: The GGUF file.
        server_url: The address of a llama.cpp server with the file loaded, or empty to start one.

    Raises:
        MissingExtraError: xllamacpp is not installed, and no server is given.
    """

    def __init__(self, path: str, server_url: str = "") -> None:
        self._path = path
        self._url = server_url
        # The library listens on a port of this machine; the key keeps others out.
        self._key = secrets.token_urlsafe(24)
        self._lock = Lock()
        self._server: Any = None
        self._connection: http.client.HTTPConnection | None = None
        self._shape = EstimateTokenizer()
        self._memo: Memo[int] = Memo()
        if not server_url:
            _module()

    @property
    def identity(self) -> str:
        return f"gguf-{self._path.replace(chr(92), '/').rsplit('/', 1)[-1]}"

    @property
    def exact(self) -> bool:
        return True

    def count(self, text: str) -> int:
        """Return the tokens of a text; special tokens in it count as text.

        Raises:
            SettingError: The file cannot be loaded.
            UpstreamError: The server does not answer.
        """
        return self._memo.of(text, self._ask) if text else 0

    def by_script(self, text: str) -> Mapping[str, float]:
        return self._shape.divided(text, self.count(text))

    def close(self) -> None:
        """Close the connection, and the server if it was started here."""
        with self._lock:
            self._hang_up()
            if self._server is not None:
                self._server = None
                self._url = ""

    def _ask(self, text: str) -> int:
        # JSON cannot carry lone surrogates; send the replacement character.
        sound = text.encode("utf-8", "replace").decode()
        body = json.dumps({"content": sound, "add_special": False, "parse_special": False})
        with self._lock:
            try:
                return len(self._reach(body)["tokens"])
            except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
                self._hang_up()
                raise UpstreamError(
                    "The embedded model's tokenizer does not answer.",
                    hint="Try again, or set tokenizer to estimate.",
                ) from error

    def _reach(self, body: str) -> Any:
        if self._connection is None:
            return self._post(body)
        try:
            return self._post(body)
        except (ConnectionError, http.client.BadStatusLine):
            self._hang_up()
            return self._post(body)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _post(self, body: str) -> Any:
        if self._connection is None:
            if not self._url:
                self._url = self._start()
            self._connection = http.client.HTTPConnection(urlsplit(self._url).netloc, timeout=WAIT)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        self._connection.request("POST", "/tokenize", body, headers)
        return json.loads(self._connection.getresponse().read())

    def _start(self) -> str:
        module = _module()
        settings = module.CommonParams()
        settings.model.path = self._path
        settings.api_keys = [self._key]
        settings.n_ctx = 64
        settings.n_parallel = 1
        settings.warmup = False
        settings.port = 0
        settings.verbosity = -1
        try:
            self._server = start_server(settings)
        except RuntimeError as error:
            raise SettingError(
                f"The GGUF file {self._path} cannot be loaded.",
                hint="Check that the file is a complete GGUF model, or set gguf to another one.",
            ) from error
        return str(self._server.listening_address)


def _module() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError as error:
        raise MissingExtraError("xllamacpp", "gguf") from error
