"""The upstream of our server, and its models by the names that clients use."""

import threading
from collections import OrderedDict
from dataclasses import replace
from datetime import datetime, timedelta

from unabridged import config
from unabridged.domain.chat import Address
from unabridged.domain.exchange import QUOTING
from unabridged.domain.settings import Settings
from unabridged.errors import NoModelError, UpstreamError
from unabridged.models import choose_model as models
from unabridged.models.openai import OpenAIModel
from unabridged.models.quote import MODEL as QUOTE, QuoteModel
from unabridged.ports import ChatModel, Clock, SupportsRelay

MOST = 64
"""Models to keep open; the least recently used one is closed first."""
LOOK_AGAIN = timedelta(seconds=10)
"""Seconds until a better upstream than ``quote`` is looked for, if none was named."""


class Upstreams:
    """The models of one upstream. Its methods may wait for the network: not for event loops.

    Attributes:
        note: The chosen upstream, and how to get a better one; empty until one is needed.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._folder = config.folder(settings.home, "cache")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, ChatModel] = OrderedDict()
        self._unknown_fields: set[str] = set()
        self._provider = ""
        self._since: datetime | None = None
        self.note = ""

    @property
    def provider(self) -> str:
        """The provider: ``ollama``, ``openai``, ``anthropic``, ``gguf`` or ``quote``.

        Raises:
            SettingError: The settings name an unusable one.
            UpstreamError: The named one does not answer.
        """
        with self._lock:
            return self._chosen()

    def model(self, name: str = "") -> ChatModel | None:
        """Return a model; None if ``quote`` answers, which belongs to a memory.

        Args:
            name: The name that a client sent; empty for the upstream's choice. An embedded model
                answers to every name.

        Raises:
            SettingError: The settings name an unusable upstream.
            UpstreamError: The upstream does not answer, or has no model.
        """
        with self._lock:
            provider = self._chosen()
            if provider == QUOTING:
                return None
            wanted = "" if provider == "gguf" else name
            if wanted not in self._known:
                settings = replace(
                    self._settings, upstream=provider, model=wanted or self._settings.model
                )
                chosen = models.choose(settings, self._clock, self._folder)
                self._known[wanted] = chosen.model
                if isinstance(chosen.model, OpenAIModel):
                    chosen.model.unknown_fields = self._unknown_fields
                if len(self._known) > MOST:
                    self._known.popitem(last=False)[1].close()
            self._known.move_to_end(wanted)
            return self._known[wanted]

    def look(self) -> str:
        """Check that the upstream answers; return which it is, and how to get a better one.

        Raises:
            SettingError: The settings name an unusable one.
            UpstreamError: It does not answer, or has no model.
        """
        with self._lock:
            settings = replace(self._settings, upstream=self._chosen())
        chosen = models.choose(settings, self._clock, self._folder, quote=self._no_memory)
        chosen.model.close()
        return self.note if self._settings.upstream == "auto" else chosen.note

    @property
    def address(self) -> Address | None:
        """The upstream's address; None for one inside this process; raises as ``provider``."""
        try:
            some: object = self.model(self._settings.model or "any")
        except NoModelError:
            return None
        return some.address if isinstance(some, SupportsRelay) else None

    def names(self) -> list[str]:
        """Return the available models, the most recently used first.

        Raises:
            UpstreamError: The upstream does not answer.
        """
        provider = self.provider
        for row in models.available(self._settings, self._clock, self._folder, fresh=True):
            if row.provider == provider:
                if not row.models and row.note:
                    raise UpstreamError(row.note, hint="Run: unabridged doctor")
                return list(row.models)
        return [QUOTE]

    def close(self) -> None:
        """Close all models."""
        with self._lock:
            known, self._known = self._known, OrderedDict()
        for model in known.values():
            model.close()

    def _chosen(self) -> str:
        if self._settings.upstream != "auto":
            return self._settings.upstream
        now = self._clock.now()
        looked = self._since is not None and timedelta() <= now - self._since < LOOK_AGAIN
        if self._provider and (self._provider != QUOTING or looked):
            return self._provider
        chosen = models.choose(self._settings, self._clock, self._folder, quote=self._no_memory)
        self._provider, self._since, self.note = chosen.model.provider, now, chosen.note
        if self._provider != QUOTING:
            self._known.setdefault("", chosen.model)
        return self._provider

    def _no_memory(self) -> QuoteModel:
        return QuoteModel(lambda _: (), self._clock)
