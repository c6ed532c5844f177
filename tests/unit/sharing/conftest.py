from pathlib import Path

import pytest
from tests.helpers.talker import Talker

from unabridged.domain.chat import Abilities
from unabridged.domain.scope import SpaceId
from unabridged.domain.settings import Settings
from unabridged.factory.sharing import SpaceShares
from unabridged.home.open_spaces import settings_for
from unabridged.models.scripted import ScriptedModel
from unabridged.testing.clock import ManualClock

STORES = {
    "sqlite": {},
    "files-model": {"json_files": "model"},
    "files-agent": {"json_files": "agent"},
    "files-user": {"json_files": "user"},
}
FAR = "https://"


class House:
    """A home with spaces that share with each other; every space is opened anew for each call."""

    def __init__(self, home: Path, **given):
        self.settings = Settings(home=str(home), upstream="quote", **given)
        self.clock = ManualClock()
        self.path = home

    def space(self, name: str) -> SpaceId:
        return SpaceId(*name.split("/", 2))

    def of(self, name: str) -> Settings:
        return settings_for(self.settings, self.space(name))

    def open(self, name: str) -> Talker:
        model = ScriptedModel(abilities=Abilities("m", trained_window=8192, source="server"))
        return Talker.open(settings=self.of(name), upstream=model, clock=self.clock)

    def shares(self, name: str) -> SpaceShares:
        return SpaceShares(self.of(name), clock=self.clock)

    def share(self, source: str, target: str, **given):
        return self.shares(source).share(self.space(target), **given)

    def say(self, name: str, *texts: str, new: bool = False) -> list[str]:
        """Say things in the newest session of a space, let it learn, and give the exchanges' ids."""
        with self.open(name) as memory:
            if new:
                memory.new_session()
            ids = []
            for text in texts:
                context = memory.prepare(text)
                memory.record(context, f"You told me: {text}")
                ids.append(context.id)
            list(memory.maintain())
            return ids

    def add(self, name: str, text: str, **given):
        with self.open(name) as memory:
            return memory.facts.add(text, **given)

    def facts(self, name: str, state="current"):
        with self.open(name) as memory:
            return memory.facts.all(state)

    def texts(self, name: str, state="current") -> list[str]:
        return sorted(fact.text for fact in self.facts(name, state))

    def disputes(self, name: str) -> list[list[str]]:
        with self.open(name) as memory:
            return [sorted(fact.text for fact in group) for group in memory.facts.disputes()]

    def exchanges(self, name: str) -> list[str]:
        with self.open(name) as memory:
            return [x.id for c in memory.space.log.transcripts() for x in c.exchanges]

    def raw(self) -> bytes:
        files = (path for path in sorted(self.path.rglob("*")) if path.is_file())
        return b"".join(path.read_bytes() for path in files)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path / "home")


@pytest.fixture(params=STORES, ids=STORES)
def any_house(request, tmp_path):
    return House(tmp_path / "home", **STORES[request.param])
