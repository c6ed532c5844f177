import pytest

from unabridged.domain.scope import Space
from unabridged.stores.files import FilesStore
from unabridged.stores.files.folder import FilesFolder
from unabridged.stores.files.names import place_of

SPACE = Space("ada", "tests", "qwen2.5:7b")


class Bench:
    """Opens and closes stores of one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.opened = []

    def open(self, layout="model", space=SPACE, **options):
        store = FilesStore(place_of(self.folder, space, layout), space, layout=layout, **options)
        self.opened.append(store)
        return store

    def again(self, store, **options):
        store.close()
        return self.open(store.layout, store.space, **options)

    def spaces(self, layout="model", **options):
        return FilesFolder(self.folder, layout=layout, **options)

    def everything(self):
        """Every byte of every file, by name."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "files")
    yield made
    for store in made.opened:
        store.close()
