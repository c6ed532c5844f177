"""Operations on a home that open no space."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from unabridged import config
from unabridged.clock import SystemClock
from unabridged.domain.forgetting import Receipt, SpacePlan
from unabridged.domain.results import Diagnosis, ModelInfo
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.errors import SettingError
from unabridged.factory.open_memory import open_space
from unabridged.home.delete_space import forget_space, kept_receipts, plan_spaces, settle_receipt
from unabridged.home.followed_spaces import Spaces
from unabridged.home.forgetting import sift_for
from unabridged.home.open_spaces import settings_for, spaces_of
from unabridged.home.spaces import SpaceInfo
from unabridged.home.verify import unmoor
from unabridged.models import choose_model as models, gguf
from unabridged.models.smollm2 import fetch as fetch_smollm2
from unabridged.ports import Clock
from unabridged.space.space import Space
from unabridged.stores.copy_space import copy


class Home:
    """The spaces under one home folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = spaces_of(settings)

    def open(self, space: SpaceId) -> Space:
        """Open a space by its names, whatever ``isolation`` says."""
        return open_space(settings_for(self._settings, space))

    def spaces(self) -> list[SpaceInfo]:
        """Return every space, sound or damaged."""
        return self._folder.list()

    def rename(self, old: SpaceId, new: SpaceId) -> None:
        """Rename a space; refused if the name is taken."""
        self._folder.rename(old, new)

    def merge(self, source: SpaceId, into: SpaceId) -> int:
        """Copy a space into another; the source stays. Return the exchanges added.

        Exchanges that the other space forgot stay forgotten.
        """
        giver = self._folder.open(source, create=False)
        try:
            taker = self._folder.open(into)
            try:
                return copy(giver, taker, sift=sift_for(taker, self._settings)).exchanges
            finally:
                taker.close()
        finally:
            giver.close()

    def quarantine(self, space: SpaceId) -> Path:
        """Set a damaged space aside, and return its new path."""
        return self._folder.quarantine(space)

    def plan_forgetting(self, spaces: Sequence[SpaceId]) -> list[SpacePlan]:
        """Plan the forgetting of whole spaces; nothing is changed.

        Raises:
            NotFoundError: There is no such space.
        """
        return plan_spaces(self._settings, self._folder, spaces)

    def forget(self, plan: SpacePlan, clock: Clock | None = None) -> Receipt:
        """Wipe a whole space, for good, and keep a receipt in the home's folder ``logs``.

        Raises:
            StoreBusyError: Others have it open.
            StoreError: It cannot be wiped; the next use of the home finishes it.
        """
        receipt = forget_space(self._settings, clock or SystemClock(), self._folder, plan)
        unmoor(self._settings)
        return receipt

    def settle(self, receipt: Receipt, rewritten: Collection[str]) -> Receipt:
        """Store that backups, by name, no longer hold the space of a receipt."""
        return settle_receipt(self._settings, receipt, rewritten)

    def receipts(self) -> list[Receipt]:
        """Return the receipts for forgotten spaces, the oldest first."""
        return kept_receipts(self._settings)


def fetch_model(settings: Settings, name: str, progress: Callable[[str], None]) -> Path:
    """Fetch ``smollm2`` or an embedder of the Hugging Face hub (``REPO/NAME``) into the home.

    Raises:
        MissingExtraError: The package that fetches it is not installed.
        SettingError: The name is unknown.
        UpstreamError: The download failed.
    """
    folder = config.folder(settings.home, "cache")
    if name == "smollm2":
        if not gguf.installed():
            from unabridged.installation import install_command  # noqa: PLC0415 - slow, rarely needed

            progress(f"The model also needs the extra `gguf`. Run: {install_command('gguf')}")
        return fetch_smollm2(folder, progress)
    from unabridged.embeddings import hub  # noqa: PLC0415 - for this command only

    if hub.is_name(name):
        return hub.fetch(name, folder, progress)
    raise SettingError(
        f"There is no model {name!r} to fetch.",
        hint="Use smollm2, or REPO/NAME as the Hugging Face hub calls it.",
    )


def available_models(
    settings: Settings, clock: Clock | None = None, *, fresh: bool = False
) -> list[ModelInfo]:
    """List the models that can answer, provider by provider.

    Unless ``fresh``, a server is asked once in ``model_cache_ttl`` seconds. A server that does
    not answer is listed as before.
    """
    folder = config.folder(settings.home, "cache")
    rows = models.available(settings, clock or SystemClock(), folder, fresh=fresh)
    return [
        ModelInfo(row.provider, name, "" if number else row.note)
        for row in rows
        for number, name in enumerate(row.models or ("",))
    ]


def diagnose(
    settings: Settings, clock: Clock | None = None, *, repair: bool = False
) -> Iterator[Diagnosis]:
    """Look at what is installed, what answers, and whether the store is sound; see ``examine``."""
    from unabridged.factory.doctor import examine  # noqa: PLC0415 - for this command only

    try:
        spaces: Spaces | None = spaces_of(settings, follows=repair)
    except SettingError:
        spaces = None  # the check-up reports it
    return examine(settings, clock or SystemClock(), spaces, repair=repair)
