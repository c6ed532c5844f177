"""Folders with small networks, written by the tests and run by onnxruntime."""

import json
import math

import numpy as np
import pytest
from tests.unit.embeddings.graph import Graph

from unabridged.embeddings.cross_encoder import CrossEncoder
from unabridged.embeddings.onnx import OnnxEmbedder
from unabridged.errors import SettingError

WORDS = ["[UNK]", "[CLS]", "[SEP]", "cat", "dog", "bank", "query:", "passage:", "asked"]
VECTORS = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 4, 0], [0, 3, 1], [4, 0, 0],
                    [0, 0, 8], [0, 0, 4], [0, 0, 0]], np.float32)  # fmt: skip
SCORES = np.array([0, 0, 0, 3, 1, -3, 0, 0, 9], np.float32)


def tokenizer(folder):
    template = {"[CLS]": 1, "[SEP]": 2}
    special = {
        name: {"id": name, "ids": [place], "tokens": [name]} for name, place in template.items()
    }
    cls, sep = ({"SpecialToken": {"id": name, "type_id": 0}} for name in template)
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = [
        {"Sequence": {"id": "B", "type_id": 1}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 1}},
    ]
    rules = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [cls, first, sep],
            "pair": [cls, first, sep, *second],
            "special_tokens": special,
        },
        "padding": {  # as exported tokenizers bring it: it must not reach the network
            "strategy": {"Fixed": 32},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[UNK]",
        },
        "model": {
            "type": "WordLevel",
            "unk_token": "[UNK]",
            "vocab": {word: place for place, word in enumerate(WORDS)},
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(rules), "utf-8")


def write(folder, graph, **stated):
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(b"".join(graph.write()))
    tokenizer(folder)
    places = {
        "prompts": ("config_sentence_transformers.json", "prompts"),
        "longest": ("sentence_bert_config.json", "max_seq_length"),
    }
    for name, (file, key) in places.items():
        if name in stated:
            (folder / file).write_text(json.dumps({key: stated[name]}), "utf-8")
    if "pooling" in stated:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(stated["pooling"]), "utf-8")
    return folder


def tokens(*, mask=False):
    """A network that gives each token's vector."""
    graph = Graph("tokens")
    ids = graph.input("input_ids", "int64", ("texts", "length"))
    found = graph.node("Gather", graph.constant(VECTORS), ids)
    if mask:
        kept = graph.input("attention_mask", "int64", ("texts", "length"))
        one = graph.constant(np.array([2], np.int64))
        found = graph.node(
            "Mul", found, graph.node("Unsqueeze", graph.node("Cast", kept, to=1), one)
        )
    graph.output(graph.node("Identity", found, output="last_hidden_state"), (1, "length", 3))
    return graph


def cross():
    """A network that adds up the scores of the second text's tokens."""
    graph = Graph("cross")
    ids = graph.input("input_ids", "int64", (1, "length"))
    kinds = graph.input("token_type_ids", "int64", (1, "length"))
    found = graph.node("Gather", graph.constant(SCORES), ids)
    second = graph.node("Mul", found, graph.node("Cast", kinds, to=1))
    one = graph.constant(np.array([1], np.int64))
    graph.output(graph.node("ReduceSum", second, one, output="logits"), (1, 1))
    return graph


def unit(*numbers):
    return pytest.approx(np.array(numbers) / np.linalg.norm(numbers), abs=1e-6)


@pytest.mark.parametrize("mask", [False, True])
def test_tokens_are_pooled_by_their_mean(tmp_path, mask):
    embedder = OnnxEmbedder(write(tmp_path, tokens(mask=mask)))
    assert embedder.embed(["cat dog"])[0] == unit(1, 7, 1)  # [CLS] counts, [SEP] is zeros
    assert embedder.dimension == 3


def test_or_by_the_first_token(tmp_path):
    folder = write(tmp_path, tokens(), pooling={"pooling_mode_cls_token": True})
    assert OnnxEmbedder(folder).embed(["cat dog"])[0] == unit(1, 0, 0)


@pytest.mark.parametrize("by", [{"pooling_mode_max_tokens": True}, {"pooling_mode": "lasttoken"}])
def test_another_pooling_is_refused(tmp_path, by):
    with pytest.raises(SettingError, match="pooling") as caught:
        OnnxEmbedder(write(tmp_path, tokens(), pooling=by))
    assert caught.value.hint


def test_a_network_that_pools_by_itself_is_taken_at_its_word(tmp_path):
    graph = tokens()
    one = graph.constant(np.array([1], np.int64))
    most = graph.node("ReduceMax", "last_hidden_state", one, keepdims=0)
    graph.output(graph.node("Identity", most, output="sentence_embedding"), (1, 3))
    assert OnnxEmbedder(write(tmp_path, graph)).embed(["cat dog"])[0] == unit(1, 4, 1)


@pytest.mark.parametrize("passage", ["passage", "document"])
def test_prompts_stand_before_texts(tmp_path, passage):
    said = {"query": "query: ", passage: "passage: "}
    embedder = OnnxEmbedder(write(tmp_path, tokens(), prompts=said))
    assert embedder.embed(["cat"])[0] == unit(1, 4, 4)
    assert embedder.embed_query("cat") == unit(1, 4, 8)


def test_a_long_text_is_read_in_pieces_that_count_by_length(tmp_path):
    embedder = OnnxEmbedder(write(tmp_path, tokens(), longest=6))
    made = embedder.embed(["cat cat cat cat bank"])[0]  # 4 and 1 words, each with two signs
    assert made == unit(1 + 1 + 4, 16, 0)


def test_identities_follow_what_decides(tmp_path):
    first = OnnxEmbedder(write(tmp_path / "a", tokens()), "m").identity
    assert first.startswith("onnx:m@")
    assert OnnxEmbedder(write(tmp_path / "b", tokens()), "m").identity == first
    assert OnnxEmbedder(write(tmp_path / "c", tokens()), "n").identity != first
    changed = write(tmp_path / "d", tokens(), prompts={"query": "query: "})
    assert OnnxEmbedder(changed, "m").identity != first
    assert OnnxEmbedder(tmp_path / "a").identity.startswith("onnx:a@")


def test_where_a_folder_states_no_prompts_the_family_does(tmp_path):
    embedder = OnnxEmbedder(write(tmp_path, tokens()), "intfloat/multilingual-e5-small")
    assert embedder.identity.endswith("+e5")
    assert embedder.embed(["cat"])[0] == unit(1, 4, 4)
    assert embedder.embed_query("cat") == unit(1, 4, 8)


def test_a_model_is_found_where_exports_put_it(tmp_path):
    folder = write(tmp_path, tokens())
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert OnnxEmbedder(folder).dimension == 3


@pytest.mark.parametrize("lacks", ["model.onnx", "tokenizer.json"])
def test_what_lacks_is_named(tmp_path, lacks):
    folder = write(tmp_path, tokens())
    (folder / lacks).unlink()
    with pytest.raises(SettingError, match=lacks) as caught:
        OnnxEmbedder(folder)
    assert caught.value.hint


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_what_cannot_be_read_is_named(tmp_path, broken):
    folder = write(tmp_path, tokens())
    (folder / broken).write_text("nothing of the kind", "utf-8")
    with pytest.raises(SettingError, match=broken) as caught:
        OnnxEmbedder(folder).embed(["cat"])
    assert caught.value.hint


def test_a_stated_file_that_is_no_json(tmp_path):
    folder = write(tmp_path, tokens(), longest=6)
    (folder / "sentence_bert_config.json").write_text("{", "utf-8")
    with pytest.raises(SettingError, match="sentence_bert_config"):
        OnnxEmbedder(folder)


def test_a_network_that_wants_something_else(tmp_path):
    graph = Graph("pixels")
    pixels = graph.input("pixel_values", "float32", (1, "length"))
    graph.output(graph.node("Identity", pixels, output="out"), (1, "length"))
    with pytest.raises(SettingError, match="pixel_values"):
        OnnxEmbedder(write(tmp_path, graph)).embed(["cat"])


def test_it_works_again_after_close(tmp_path):
    embedder = OnnxEmbedder(write(tmp_path, tokens()))
    before = embedder.embed(["cat"])
    embedder.close()
    assert embedder.embed(["cat"]).tolist() == before.tolist()


def test_a_cross_encoder_reads_both_and_squashes(tmp_path):
    reranker = CrossEncoder(write(tmp_path, cross()), depth=7)
    assert reranker.depth == 7
    assert reranker.identity.startswith("onnx:")
    # The question's own words (the first part) count for nothing in this network.
    scores = reranker.scores("asked asked", ["cat", "bank", "cat bank", "", "dog"])
    wanted = [1 / (1 + math.exp(-n)) for n in (3, -3, 0)]
    assert scores[:3] == pytest.approx(wanted, abs=1e-6)
    assert scores[3] == 0.0
    assert reranker.scores("asked", []) == []


def test_extreme_numbers_do_not_overflow(tmp_path):
    scores = CrossEncoder(write(tmp_path, cross())).scores("q", ["bank " * 300, "cat " * 300])
    assert scores == [pytest.approx(0, abs=1e-9), pytest.approx(1)]


def test_the_best_piece_of_a_long_text_counts(tmp_path):
    reranker = CrossEncoder(write(tmp_path, cross(), longest=8))
    (score,) = reranker.scores("asked", ["bank " * 40 + "cat cat cat cat"])
    assert score > 0.9


def test_a_long_question_leaves_room_for_the_text(tmp_path):
    reranker = CrossEncoder(write(tmp_path, cross(), longest=12))
    (score,) = reranker.scores("asked " * 50, ["cat"])
    assert score == pytest.approx(1 / (1 + math.exp(-3)), abs=1e-6)
