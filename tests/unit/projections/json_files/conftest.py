import pytest

from unabridged.domain.scope import SpaceId
from unabridged.home.followed_spaces import FollowedSpaces, JsonFolder
from unabridged.home.spaces import SpacesFolder
from unabridged.stores.held_writes import HeldWrites

SPACE = SpaceId("ada", "tests", "qwen2.5:7b")


class Bench:
    """Opens and closes spaces of one home, with readable files in one folder."""

    def __init__(self, home):
        self.folder = home / "files"
        self.databases = home / "spaces"
        self.opened = []
        self.layouts = {}

    def open(self, layout="model", space=SPACE, *, auto_save=True, **options):
        store = self.spaces(layout, **options).open(space)
        self.opened.append(store)
        self.layouts[id(store)] = layout
        return store if auto_save else HeldWrites(store)

    def again(self, store, **options):
        store.close()
        return self.open(self.layouts[id(store)], store.space, **options)

    def spaces(self, layout="model", *, follows=True, **options):
        folder = JsonFolder(self.folder, layout, **options)
        return FollowedSpaces(SpacesFolder(self.databases), folder, follows=follows)

    def everything(self):
        """Every byte of every file that people read, by name."""
        paths = sorted(self.folder.rglob("[!.]*")) if self.folder.exists() else []
        names = [path for path in paths if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in names}


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for store in made.opened:
        store.close()
