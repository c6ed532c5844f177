"""Targets: settings, keys, receipts, journals, caches and headers."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import msgspec
from tests.faults.migrating import Trial, old_folder
from tests.fuzz.mutate import dumped
from tests.fuzz.target import Subject, Target, WrongError, fresh_copy, no_drafts, reading, refused

from unabridged import config
from unabridged.cli.settings_file import write_setting
from unabridged.clock import SystemClock
from unabridged.config.agent_settings import by_agent
from unabridged.config.personas import persona_of
from unabridged.config.profiles import names, profile_of
from unabridged.domain.audit import Audit, Outcome
from unabridged.domain.backup_results import Recovery
from unabridged.domain.encryption_key import EncryptionKey
from unabridged.domain.permissions import Grant
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.factory.home import Home
from unabridged.home import keyring_file
from unabridged.home.api_keys import KEYS, PREFIX, USES, ApiKeys
from unabridged.home.audit_log import AuditLog, entries
from unabridged.home.backup import Safekeeping
from unabridged.home.backup_reader import BackupReader
from unabridged.home.delete_space import kept_receipts
from unabridged.home.migration_journal import MigrationJournal, Moves, finish_moves
from unabridged.home.open_spaces import spaces_of
from unabridged.home.recover import ACCOUNT, told
from unabridged.home.spaces import SpacesFolder
from unabridged.home.verify import verify
from unabridged.models.abilities import AbilityCache
from unabridged.models.gguf_header import read_header
from unabridged.models.model_list_cache import ModelListCache
from unabridged.server.auxiliary_requests import rules_of
from unabridged.stores.json_codec import pack
from unabridged.testing.log_writer import LogWriter

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEY = EncryptionKey(bytes(range(32)))
_SETTINGS = {
    "upstream": "ollama",
    "model": "qwen3:8b",
    "isolation": "user,agent",
    "json_files": "model",
    "max_body": "100000",
    "profile": "companion",
    "window": "8192",
}


@contextmanager
def settings_toml(place):
    """The settings file: read, and changed by the command line."""
    path = config.file_of(place)
    for name, value in _SETTINGS.items():
        write_setting(place, name, value)
    write_setting(place, "persona", "tutor", (config.AGENTS, "b"))
    write_setting(place, "window", "4096", (config.MODELS, "m"))

    def attempt(data):
        path.write_bytes(data)
        loaded = config.load(home=place, environ={})
        by_agent(home=place, environ={}).of("b")
        loaded.for_model("m")
        write_setting(place, "window", "4096")
        write_setting(place, "window", None)
        config.load(home=place, environ={})
        no_drafts(place)
        return "read"

    yield Subject([path.read_bytes()], attempt)


@contextmanager
def profile_toml(place):
    """A profile of a person."""
    path = place / "config" / "profiles" / "mine.toml"
    seeds = [each.read_bytes() for each in _bundled("*.toml")]
    seeds.append(b'extends = "companion"\ntitle = "Mine"\n[settings]\nwindow = 8192\n')

    def read():
        names(place)
        profile_of("mine", place)
        config.load(home=place, environ={}, profile="mine")

    yield Subject(seeds, reading(path, read))


@contextmanager
def persona_json(place):
    """A persona of a person, in JSON."""
    path = place / "config" / "personas" / "mine.json"
    seeds = [dumped({"name": "Ida", "system_prompt": "You are Ida.", "tags": ["kind"]})]
    yield Subject(seeds, reading(path, lambda: persona_of("mine", place)))


def _bundled(pattern):
    return sorted((Path(config.__file__).parents[1] / "profiles").glob(pattern))


@contextmanager
def side_rules(place):
    """A person's own rules for side requests."""
    path = place / "config" / "side_rules.toml"
    bundled = Path(config.__file__).parents[1] / "server" / "side_rules.toml"
    yield Subject([bundled.read_bytes()], reading(path, lambda: rules_of(place)))


@contextmanager
def api_keys(place):
    """The file of API keys."""
    keys = ApiKeys(place)
    keys.create(Grant("one", user="ann"), NOW)
    _, secret = keys.create(Grant("two", profile="companion", expires=NOW.replace(year=2030)), NOW)
    keys.revoke("one", NOW)
    path = place / "config" / KEYS

    def read():
        found = ApiKeys(place)
        for key in found.every():
            refused(found.grant_of, f"{PREFIX}{key.id}_x", NOW)
        found.usable(NOW)
        found.grant_of(secret, NOW)

    yield Subject([path.read_bytes()], reading(path, read))


@contextmanager
def api_key_uses(place):
    """The file of when keys were used."""
    keys = ApiKeys(place)
    key, _ = keys.create(Grant("one"), NOW)
    key = replace(key, id="k1")
    keys.note_use(key, NOW)
    keys.keep_uses()
    path = place / "config" / USES

    def attempt(data):
        path.write_bytes(data)
        again = ApiKeys(place)
        again.every()
        again.note_use(key, NOW)
        again.keep_uses()
        no_drafts(place)
        return "read"

    yield Subject([path.read_bytes()], attempt)


@contextmanager
def key_box(place):
    """The key box; a changed one opens with the same secrets, or not at all."""
    path = place / "keybox.json"
    made = keyring_file.make_box([path], KEY)
    first = path.read_bytes()
    keyring_file.add_slot([path], KEY, EncryptionKey(bytes(32)))

    def read():
        found = keyring_file.open_box([path], KEY)
        if found is not None and found != made:
            raise WrongError("a changed box gives other secrets")

    yield Subject([first, path.read_bytes()], reading(path, read))


@contextmanager
def receipts(place):
    """A receipt of a forgotten space."""
    settings = Settings(home=str(place), json_files="none")
    space = SpaceId("ada", "fuzz")
    with_space(settings, space)
    home = Home(settings)
    home.forget(home.plan_forgetting([space])[0])
    path = next((place / "logs").rglob("*.json"))

    def read():
        for receipt in kept_receipts(settings):
            hash((receipt.id, receipt.at, receipt.space))

    yield Subject([path.read_bytes()], reading(path, read))


def with_space(settings, space):
    """Make a space with one exchange."""
    store = spaces_of(settings).open(space)
    LogWriter(store, "s1").say("hello", "yes")
    store.close()
    return store.path


@contextmanager
def _intent(place, end, content):
    """An intent next to a space file: the next opening of the folder finishes it, or refuses it."""
    outside = place / "outside.txt"
    outside.write_text("not ours")
    base, home = place / "base", place / "home"
    settings = Settings(home=str(base), json_files="none")
    one = with_space(settings, SpaceId("ada", "one"))
    other = with_space(settings, SpaceId("ada", "other"))
    name = spaces_of(settings).path_of(SpaceId("ada", "new")).name
    intent = (one.name if end == ".forgetting" else name) + end

    def attempt(data):
        fresh_copy(base, home)
        spaces = SpacesFolder(home / "spaces")
        (spaces.folder / intent).write_bytes(data)
        try:
            found = spaces.list()
            return f"{len(found)} {[bool(each.damaged) for each in found]}"
        finally:
            if not outside.exists() or not (spaces.folder / other.name).exists():
                raise WrongError("removed what is not in it")
            no_drafts(home)

    yield Subject([pack(content(one, name))], attempt)


def renaming(place):
    """The intent of renaming a space."""
    space = {"user": "ada", "agent": "new", "model": ""}
    return _intent(place, ".renaming", lambda one, _: [one.name, space])


def wiping(place):
    """The intent of wiping a space."""

    def content(one, _):
        parts = [f"spaces/{one.name}"]
        return {"parts": parts, "receipt": "logs/receipts/r1.json", "shown": {"id": "r1"}}

    return _intent(place, ".forgetting", content)


@contextmanager
def _migrated(place, name):
    trial = Trial(place / "base", "sqlite")
    trial.old.mkdir(parents=True)
    old_folder(trial.old)
    trial.migrations().migrate(trial.old)
    home = place / "home"
    journal = MigrationJournal(home)
    state = next(MigrationJournal(trial.home).all())
    files = {path.suffix: path for path in (trial.home / "config" / "migrations").glob("2*")}
    moved = next(trial.home.glob("spaces/*.db")).name
    pairs = ((f"spaces/{moved}", f"backups/migrations/{state.id}/spaces/{moved}"),)
    seeds = {
        "state": files[".json"].read_bytes(),
        "ids": files[".ids"].read_bytes(),
        "moves": msgspec.json.encode(Moves(id=state.id, phase="gone back", pairs=pairs)),
    }
    paths = {
        "state": journal.folder / files[".json"].name,
        "ids": journal.folder / files[".ids"].name,
        "moves": journal.moves,
    }
    outside = place / "outside.txt"
    outside.write_text("not ours")
    count = len(_databases(trial.home))

    def attempt(data):
        fresh_copy(trial.home, home)
        paths[name].write_bytes(data)
        try:
            finish_moves(home)
            for each in journal.all():
                journal.known(each.id)
                str(each.named)
        finally:
            if not outside.exists() or len(_databases(home)) != count:
                raise WrongError("moved what is not in it, or lost a space")
            no_drafts(home)
        return "read"

    yield Subject([seeds[name]], attempt)


def _databases(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if path.read_bytes()[:6] == b"SQLite"]


def migration_state(place):
    """The state of a migration."""
    return _migrated(place, "state")


def migration_ids(place):
    """The ids of what was migrated."""
    return _migrated(place, "ids")


def migration_moves(place):
    """The decided move of a migration."""
    return _migrated(place, "moves")


@contextmanager
def recovery_account(place):
    """The report of a recovery that was not shown yet."""
    path = place / "space.db"
    report = path.with_name(path.name + ACCOUNT)
    found = Recovery(str(path.with_name("space.db.damaged-1")), SpaceId("ada"), 1, 3, 1, 2)
    made = msgspec.json.encode(found)

    def attempt(data):
        rmtree(place)
        place.mkdir()
        report.write_bytes(data)
        return "told" if told(path) else "none"

    yield Subject([made], attempt)


@contextmanager
def caches(place):
    """The caches of models' abilities and names: a damaged one counts as empty."""
    paths = [place / "abilities.json", place / "models.json"]
    at = "2026-03-01T09:00:00+00:00"
    seeds = [
        dumped({"format": 1, "models": {"k m": {"at": at, "abilities": {"window": 4096}}}}),
        dumped({"http://x": {"names": ["a", "b"], "at": at}}),
    ]

    def attempt(data):
        for path in [*paths, *place.glob("*.json")]:
            path.write_bytes(data)
        clock = SystemClock()
        AbilityCache(clock, place).forget("k")
        listed = ModelListCache(clock, place, 60.0).get("http://x", lambda: ["a"])
        ModelListCache(clock, place, 60.0).get("http://x", lambda: ["a"], fresh=True)
        no_drafts(place)
        return f"{len(listed.names)}"

    yield Subject(seeds, attempt)


@contextmanager
def checkpoints(place):
    """The anchor: checkpoints outside the home."""
    settings = Settings(
        home=str(place / "home"), json_files="none", checkpoint_file=str(place / "a")
    )
    store_path = with_space(settings, SpaceId("ada", "fuzz"))
    path = place / "a"

    def attempt(data):
        path.write_bytes(data)
        found = [*verify(settings)]
        if not store_path.exists() or not found:
            raise WrongError("a space is gone")
        return " ".join(
            "".join(filter(str.isalpha, each.flaws[0][-60:])) for each in found if each.flaws
        )

    yield Subject([path.read_bytes()], attempt)


@contextmanager
def audit_log(place):
    """The audit log: read, verified, and continued."""
    settings = Settings(home=str(place), json_files="none")

    def enter():
        log = AuditLog(settings, SystemClock())
        log.note(Audit.ACTS, "k", "export", SpaceId("ada", "fuzz"), outcome=Outcome.DONE)

    enter()
    enter()
    path = next((place / "logs" / "audit").glob("*.jsonl"))
    content = path.read_bytes()

    def attempt(data):
        nonlocal content
        path.write_bytes(data)
        found = [flaw for proof in verify(settings) for flaw in proof.flaws]
        if data != content and not found and data.rpartition(b"\n")[0] != content[:-1]:
            raise WrongError("a change of the audit log was not noticed")
        entries(settings)
        enter()
        (path.parent / "head.json").unlink()
        path.write_bytes(content[:-1].rpartition(b"\n")[0] + b"\n")
        enter()
        content = path.read_bytes()
        return " ".join("".join(filter(str.isalpha, flaw)) for flaw in found[:3])

    yield Subject([content], attempt)


@contextmanager
def backup_notes(place):
    """The notes of when backups were read back."""
    settings = Settings(home=str(place), json_files="none")
    with_space(settings, SpaceId("default", "default"))
    Safekeeping(settings).backup()
    reader = BackupReader(settings, SystemClock())
    list(reader.read_all(lambda *_: None))
    path = place / "backups" / ".read.json"

    def read():
        for state in reader.states():
            hash((state.path, state.read, state.trouble))

    yield Subject([path.read_bytes()], reading(path, read))


@contextmanager
def gguf(place):
    """The header of a model file."""

    def text(words):
        return len(words).to_bytes(8, "little") + words

    pairs = [
        text(b"general.architecture") + (8).to_bytes(4, "little") + text(b"llama"),
        text(b"llama.context_length") + (4).to_bytes(4, "little") + (8192).to_bytes(4, "little"),
        text(b"tokenizer.ggml.tokens") + (9).to_bytes(4, "little") + (8).to_bytes(4, "little")
        + (2).to_bytes(8, "little") + text(b"a") + text(b"b"),
        text(b"tokenizer.chat_template") + (8).to_bytes(4, "little") + text(b"{{ messages }}"),
    ]  # fmt: skip
    head = b"GGUF" + (3).to_bytes(4, "little") + bytes(8) + len(pairs).to_bytes(8, "little")
    path = place / "model.gguf"
    yield Subject([head + b"".join(pairs)], reading(path, lambda: read_header(path)))


TARGETS = (
    Target("settings", "text", settings_toml),
    Target("profile", "text", profile_toml),
    Target("persona", "json", persona_json),
    Target("side-rules", "text", side_rules),
    Target("api-keys", "json", api_keys),
    Target("api-key-uses", "json", api_key_uses),
    Target("key-box", "json", key_box),
    Target("receipt", "json", receipts),
    Target("intent-renaming", "json", renaming),
    Target("intent-wiping", "json", wiping),
    Target("migration-state", "json", migration_state),
    Target("migration-ids", "json", migration_ids),
    Target("migration-moves", "json", migration_moves),
    Target("recovery-report", "json", recovery_account),
    Target("caches", "json", caches),
    Target("checkpoints", "json", checkpoints),
    Target("audit-log", "text", audit_log),
    Target("backup-notes", "json", backup_notes),
    Target("gguf-header", "binary", gguf),
)
