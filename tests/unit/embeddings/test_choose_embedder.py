import pytest

from unabridged.domain.settings import Settings
from unabridged.embeddings import onnx_session
from unabridged.embeddings.choose_embedder import choose, choose_reranker, name_of
from unabridged.embeddings.ollama import OllamaEmbedder
from unabridged.embeddings.openai import OpenAIEmbedder
from unabridged.errors import MissingExtraError, SettingError

SETTINGS = Settings(openai_url="http://127.0.0.1:9/v1")


def test_none_is_none():
    assert choose("none", SETTINGS) is None


def test_static_is_found_by_name_and_by_identity():
    embedder = choose("static", SETTINGS)
    assert embedder.instant
    assert choose(name_of(embedder.identity), SETTINGS).identity == embedder.identity


def test_names_give_their_adapters():
    assert isinstance(choose("ollama:nomic-embed-text", SETTINGS), OllamaEmbedder)
    embedder = choose("openai:text-embedding-3-small", SETTINGS)
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.identity == "openai:text-embedding-3-small"


def test_openai_needs_an_address():
    with pytest.raises(SettingError) as caught:
        choose("openai:m", Settings())
    assert "openai_url" in caught.value.hint


@pytest.mark.parametrize("name", ["", "ollama:", "ollama", "bm25", "gguf:x", "onnx:"])
def test_other_names_are_refused(name):
    with pytest.raises(SettingError) as caught:
        choose(name, SETTINGS)
    assert "onnx:REPO/NAME" in caught.value.hint


def test_a_transformer_that_was_not_fetched_says_how(tmp_path):
    for folder in (None, tmp_path):
        with pytest.raises(SettingError) as caught:
            choose("onnx:intfloat/multilingual-e5-small", SETTINGS, folder)
        assert "unabridged models get intfloat/multilingual-e5-small" in caught.value.hint


def test_a_folder_without_a_model(tmp_path):
    for ask in (choose, lambda name, _: choose_reranker(name)):
        with pytest.raises(SettingError, match=r"model\.onnx"):
            ask(f"onnx:{tmp_path}", SETTINGS)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, package):
    found = onnx_session.importlib.util.find_spec
    monkeypatch.setattr(
        onnx_session.importlib.util,
        "find_spec",
        lambda name: None if name == package else found(name),
    )
    (tmp_path / "embedders" / "some--minilm").mkdir(parents=True)
    (tmp_path / "embedders" / "some--minilm" / "model.onnx").touch()
    (tmp_path / "embedders" / "some--minilm" / "tokenizer.json").touch()
    for ask in (
        lambda: choose("onnx:some/minilm", SETTINGS, tmp_path),
        lambda: choose_reranker(f"onnx:{tmp_path}"),
    ):
        with pytest.raises(MissingExtraError, match=package) as caught:
            ask()
        assert "[onnx]'" in caught.value.hint


def test_an_identity_leads_back_to_its_name():
    assert name_of("ollama:bge-m3:latest@0123abc") == "ollama:bge-m3:latest"
    assert name_of("openai:nomic-embed-text+nomic") == "openai:nomic-embed-text"
    assert (
        name_of("onnx:intfloat/multilingual-e5-small@0123abc")
        == "onnx:intfloat/multilingual-e5-small"
    )
    assert isinstance(choose(name_of("ollama:m:latest@1+nomic"), SETTINGS), OllamaEmbedder)


def test_the_reranker_that_is_none():
    assert choose_reranker("none") is None
    with pytest.raises(SettingError):
        choose_reranker("cohere")
