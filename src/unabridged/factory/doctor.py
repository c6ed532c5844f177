"""The check-up behind ``doctor``: packages, upstreams and the store."""

import platform
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from unabridged import config
from unabridged.domain.results import Diagnosis
from unabridged.domain.settings import Settings
from unabridged.domain.short_repr import counted
from unabridged.embeddings.choose_embedder import choose
from unabridged.errors import SettingError, StoreError, UnabridgedError
from unabridged.home.audit_log import verify_audit
from unabridged.home.backup_reader import BackupReader
from unabridged.home.cleanup import look_after
from unabridged.home.followed_spaces import Spaces
from unabridged.home.spaces import SpacesFolder
from unabridged.installation import install_command
from unabridged.knowledge.damaged_records import damaged_records, repair_records
from unabridged.models.choose_model import PROBE_SECONDS, ModelDiagnosis, diagnose
from unabridged.ports import Clock

EXTRAS = (
    ("chat", "prompt-toolkit", "line editing and history in the chat"),
    ("chat", "rich", "tables, colours and progress"),
    ("http", "httpx2", "Ollama and OpenAI-compatible servers"),
    ("tokens", "tiktoken", "exact token counts for OpenAI's models"),
    ("gguf", "xllamacpp", "embedded models"),
    ("onnx", "onnxruntime", "embeddings by a transformer"),
)
"""Extra, package, and what it is for."""


def examine(
    settings: Settings, clock: Clock, spaces: Spaces | None = None, *, repair: bool = False
) -> Iterator[Diagnosis]:
    """Check everything, one finding after the other.

    Only a repair changes something: it rebuilds indices that do not match their messages, takes
    rights from others, and removes unused drafts. Without ``spaces``, the configured ones are
    checked without their index.
    """
    python = f"unabridged {_version('unabridged')}, Python {platform.python_version()}"
    yield Diagnosis("version", ok=True, text=f"{python}, SQLite {_sqlite()}")
    yield from _extras()
    try:
        folder = config.folder(settings.home, "spaces")
    except SettingError as error:
        yield Diagnosis("home", ok=False, text=str(error), hint=error.hint)
        return
    yield from look_after(folder.parent, clock.now(), repair=repair)
    cache = folder.parent / "cache"
    yield from (_upstream(row) for row in diagnose(settings, clock, cache))
    yield _embedder(settings, cache)
    there = spaces or SpacesFolder(folder)
    if isinstance(there, SpacesFolder) and not repair:
        there = SpacesFolder(
            there.folder, access=there.access
        )  # without spaces there is nothing to log
    yield from _spaces(there, repair=repair)
    yield from _audit(settings)
    yield from _unread_backups(settings, clock)


def _audit(settings: Settings) -> Iterator[Diagnosis]:
    try:
        for proof in verify_audit(settings):
            text = "; ".join(proof.flaws) or "no entry was changed or removed"
            hint = "Find out who could write the home." if proof.flaws else ""
            yield Diagnosis("audit log", ok=not proof.flaws, text=text, hint=hint)
    except (StoreError, SettingError) as error:
        yield Diagnosis("audit log", ok=False, text=str(error), hint=error.hint)


def _unread_backups(settings: Settings, clock: Clock) -> Iterator[Diagnosis]:
    try:
        found = BackupReader(settings, clock).states()
    except (StoreError, SettingError):
        return  # the key is missing, which the spaces report
    for one in found:
        if one.trouble:
            hint = "Make another one: unabridged backup create --all"
            yield Diagnosis("backups", ok=False, text=one.trouble, hint=hint)
    due = sum(one.due for one in found)
    if due:
        text = f"{counted(due, 'backup')} not read back for {settings.backup_verify_every} days"
        yield Diagnosis("backups", ok=None, text=text, hint="Try: unabridged backup verify --due")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _sqlite() -> str:
    import apsw  # noqa: PLC0415 - loaded only when needed

    return apsw.sqlite_lib_version()


def _extras() -> Iterator[Diagnosis]:
    for extra, package, purpose in EXTRAS:
        found = _version(package)
        hint = "" if found else install_command(extra)
        text = f"{package} {found}: {purpose}" if found else f"{package} is missing: {purpose}"
        yield Diagnosis(f"extra {extra}", ok=True if found else None, text=text, hint=hint)


def _upstream(row: ModelDiagnosis) -> Diagnosis:
    if not row.answers:
        return Diagnosis(
            f"upstream {row.provider}", ok=None, text=row.where or "none", hint=row.note
        )
    said = [row.where, f"version {row.version}" if row.version else ""]
    said.append(f"{len(row.models)} models" if len(row.models) > 1 else "")
    if row.window:
        said.append(f"{row.model}: window {row.window:,} tokens ({row.origin})")
    text = ", ".join(part for part in said if part)
    hint = row.note if text else ""
    return Diagnosis(f"upstream {row.provider}", ok=True, text=text or row.note, hint=hint)


def _embedder(settings: Settings, cache: Path) -> Diagnosis:
    hurried = replace(settings, timeout=min(settings.timeout, PROBE_SECONDS))
    try:
        embedder = choose(settings.embedder, hurried, cache)
        if embedder is None:
            return Diagnosis("embedder", ok=True, text="none: searches by words only")
        try:
            return Diagnosis("embedder", ok=True, text=embedder.identity)
        finally:
            embedder.close()
    except UnabridgedError as error:
        return Diagnosis("embedder", ok=False, text=str(error), hint=error.hint)


def _spaces(spaces: Spaces, *, repair: bool) -> Iterator[Diagnosis]:
    for info in spaces.list():
        topic = f"space {info.space.name if info.space else info.path.name}"
        if info.damaged or info.space is None:
            hint = info.hint or "Nothing was changed. Try: unabridged recover USER/AGENT"
            yield Diagnosis(topic, ok=False, text=info.damaged, hint=hint)
            continue
        try:
            with closing(spaces.open(info.space, create=False)) as store:
                damage = [*store.check(), *damaged_records(store)]
                if damage and repair:
                    repair_records(store)
                    store.rebuild()
                    damage = [*store.check(), *damaged_records(store)]
                repaired = store.notes
                held = store.embedded_by() or "none"
        except StoreError as error:
            yield Diagnosis(topic, ok=False, text=str(error), hint=error.hint)
            continue
        text = f"exchanges: {info.exchanges:,}, sessions: {info.sessions:,}, vectors: {held}"
        text = "; ".join([text, *repaired])
        hint = "" if repair or not damage else "Try: unabridged doctor --repair"
        yield Diagnosis(topic, ok=not damage, text="; ".join(damage) or f"sound, {text}", hint=hint)
