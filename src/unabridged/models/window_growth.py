"""How far the windows of a server's models have grown for requests that needed more.

A window doubles to what a request needs, and never shrinks while the process runs: each other
length makes the server load the model again. A step that the server could not load is remembered.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from unabridged.wire.lenient_json import number

WITHOUT_GPU = 32_768
"""Tokens that a window grows to at most on a machine without a GPU: longer prompts take minutes."""


class WindowGrowth:
    """The grown windows of models, by full name; any thread may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: dict[str, list[int]] = {}
        self._most: dict[str, int] = {}
        self._failed: dict[str, int] = {}

    def window(self, model: str) -> int | None:
        """Return the grown window of a model in tokens; None if it did not grow."""
        with self._lock:
            steps = self._steps.get(model)
            return steps[-1] if steps else None

    def grow(
        self, model: str, now: int, needed: int, most: int | None, loaded: Mapping[str, Any] | None
    ) -> int | None:
        """Let a window grow to what a request needs.

        Args:
            model: The full name.
            now: Its window in tokens.
            needed: The tokens that prompt and answer need.
            most: The most tokens that it may grow to; None for no limit.
            loaded: The model's entry of ``/api/ps``; None if it is not loaded.

        Returns:
            The new window, or None if it cannot hold the request.
        """
        with self._lock:
            now = max(now, self._steps.get(model, [now])[-1])  # another request may have grown it
            if needed <= now:
                return now if most is None or needed <= most else None
            bounds = (most, self._most.get(model), _most_loaded(loaded, now))
            limit = min((bound for bound in bounds if bound is not None), default=None)
            window = now
            while window < needed:
                window *= 2
            if limit is not None and window > limit:
                window = limit
            if window < needed or window <= now:
                return None
            self._steps.setdefault(model, [now]).append(window)
            return window

    def failed(self, model: str, window: int) -> int | None:
        """Go back a step, since the server could not load a grown window.

        Args:
            model: The full name.
            window: The window that it could not load, in tokens.

        Returns:
            The window now, in tokens; None if the other one did not come from growing.
        """
        with self._lock:
            steps = self._steps.get(model, [])
            if len(steps) > 1 and steps[-1] == window:
                steps.pop()
                self._most[model], self._failed[model] = steps[-1], window
            return steps[-1] if self._failed.get(model) == window else None


def _most_loaded(loaded: Mapping[str, Any] | None, now: int) -> int | None:
    size, on_gpu = number((loaded or {}).get("size")), number((loaded or {}).get("size_vram"))
    if size is None or on_gpu is None:
        return None
    if on_gpu == 0:
        return WITHOUT_GPU
    return None if on_gpu >= size else now
