"""Models of the Hugging Face hub, with a hub that is not there."""

import types

import pytest
from tests.unit.embeddings.test_onnx import tokens, write

from unabridged.domain.settings import Settings
from unabridged.embeddings import hub
from unabridged.embeddings.choose_embedder import choose
from unabridged.errors import MissingExtraError, SettingError, UpstreamAwayError

NAME = "some/tiny-e5-small"


def bring(_, folder):
    write(folder, tokens())
    (folder / ".cache").mkdir()


def never(*_):
    raise AssertionError("it is there already")


def test_it_is_fetched_once_and_then_used_without_the_hub(tmp_path, monkeypatch):
    told = []
    assert hub.fetched(NAME, tmp_path) is None
    folder = hub.fetch(NAME, tmp_path, told.append, download=bring)
    assert (hub.fetched(NAME, tmp_path), told[-1]) == (folder, f"{NAME} is ready.")
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert not (folder / ".cache").exists()
    assert hub.fetch(NAME, tmp_path, download=never) == folder
    monkeypatch.setattr(hub, "_download", never)
    embedder = choose(f"onnx:{NAME}", Settings(), tmp_path)
    assert embedder.dimension == 3
    assert embedder.identity.startswith(f"onnx:{NAME}@")


def test_a_folder_of_that_name_comes_first(tmp_path, monkeypatch):
    (tmp_path / "some").mkdir()
    write(tmp_path / "some" / "model", tokens())
    monkeypatch.chdir(tmp_path)
    assert choose("onnx:some/model", Settings()).identity.startswith("onnx:model@")


@pytest.mark.parametrize("lacks", ["model.onnx", "tokenizer.json"])
def test_a_repository_without_a_model_leaves_nothing(tmp_path, lacks):
    def bring_less(name, folder):
        bring(name, folder)
        (folder / lacks).unlink()

    with pytest.raises(SettingError, match=lacks):
        hub.fetch(NAME, tmp_path, download=bring_less)
    assert hub.fetched(NAME, tmp_path) is None
    assert list((tmp_path / hub.FOLDER).iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="cannot be written") as caught:
        hub.fetch(NAME, tmp_path / "file", download=bring)
    assert caught.value.hint


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(hub.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match="huggingface_hub") as caught:
        hub.fetch(NAME, tmp_path)
    assert "[onnx]'" in caught.value.hint


class HubHTTPError(OSError):
    pass


class RepositoryNotFoundError(HubHTTPError):
    pass


class HFValidationError(ValueError):
    pass


class TransportError(Exception):
    pass


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (TransportError("no route"), UpstreamAwayError),
        (HubHTTPError("503"), UpstreamAwayError),
        (RepositoryNotFoundError("404"), UpstreamAwayError),
        (HFValidationError("bad"), SettingError),
    ],
)
def test_a_hub_that_cannot_help_names_the_folder_as_a_way(tmp_path, monkeypatch, fault, kind):
    asked = []

    def snapshot_download(name, **options):
        asked.append((name, options["allow_patterns"]))
        raise fault

    modules = {
        "huggingface_hub": types.SimpleNamespace(snapshot_download=snapshot_download),
        "huggingface_hub.errors": types.SimpleNamespace(
            HfHubHTTPError=HubHTTPError,
            LocalEntryNotFoundError=HubHTTPError,
            OfflineModeIsEnabled=HubHTTPError,
            RepositoryNotFoundError=RepositoryNotFoundError,
            HFValidationError=HFValidationError,
        ),
        "httpx2": types.SimpleNamespace(HTTPError=TransportError),
    }
    monkeypatch.setattr(hub.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setattr(hub.importlib, "import_module", modules.__getitem__)
    with pytest.raises(kind) as caught:
        hub.fetch(NAME, tmp_path)
    assert "onnx:FOLDER" in caught.value.hint
    assert asked[0][0] == NAME
    assert "tokenizer.json" in asked[0][1]
    assert list((tmp_path / hub.FOLDER).iterdir()) == []


@pytest.mark.parametrize("name", ["", "tiny", "/a/b", "~/models/x", "../up", "a/b/c", "a/"])
def test_what_is_no_name_of_the_hub(name):
    assert not hub.is_name(name)
