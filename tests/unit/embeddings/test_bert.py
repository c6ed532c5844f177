"""The written network against the same network in plain numpy, in floating point."""

import math

import numpy as np
import onnxruntime
import pytest

from unabridged.embeddings.bert import Shape, build, table_of

TOKENS, WIDTH, HEADS, LAYERS, WIDE, LONGEST = 40, 64, 4, 3, 128, 20
CHANCE = np.random.default_rng(11)


def some(*sizes, scale=0.5):
    return CHANCE.normal(0, scale, sizes).astype(np.float32)


@pytest.fixture(scope="module")
def weights():
    found = {"positions": some(LONGEST, WIDTH)}
    norms = ["start"]
    for layer in range(LAYERS):
        sizes = {"attend": (3 * WIDTH, WIDTH), "join": (WIDTH, WIDTH)}
        sizes |= {"widen": (WIDE, WIDTH), "narrow": (WIDTH, WIDE)}
        for name, size in sizes.items():
            found[f"{layer}.{name}"] = some(*size, scale=0.2)
            found[f"{layer}.{name}.bias"] = some(size[0])
        norms += [f"{layer}.met", f"{layer}.out"]
    for name in norms:
        found[f"{name}.scale"] = 1 + some(WIDTH, scale=0.1)
        found[f"{name}.shift"] = some(WIDTH, scale=0.1)
    return found


def normal(given, weights, name):
    centred = given - given.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return centred / spread * weights[f"{name}.scale"] + weights[f"{name}.shift"]


def dense(given, weights, name):
    return given @ weights[name].T + weights[f"{name}.bias"]


def attended(given, weights, layer):
    parts = np.split(dense(given, weights, f"{layer}.attend"), 3, axis=1)
    query, key, value = (part.reshape(len(given), HEADS, -1).swapaxes(0, 1) for part in parts)
    weight = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(WIDTH // HEADS))
    weight /= weight.sum(-1, keepdims=True)
    return (weight @ value).swapaxes(0, 1).reshape(len(given), WIDTH)


def bert(ids, words, weights):
    """Devlin et al. (2018), with GELU as x/2 (1 + erf(x / sqrt 2))."""
    state = normal(words[ids] + weights["positions"][: len(ids)], weights, "start")
    for layer in range(LAYERS):
        seen = dense(attended(state, weights, layer), weights, f"{layer}.join")
        met = normal(state + seen, weights, f"{layer}.met")
        wide = dense(met, weights, f"{layer}.widen")
        wide = wide / 2 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        state = normal(met + dense(wide, weights, f"{layer}.narrow"), weights, f"{layer}.out")
    return state


def likeness(one, other):
    return (one * other).sum(-1) / np.linalg.norm(one, axis=-1) / np.linalg.norm(other, axis=-1)


@pytest.mark.parametrize("length", [1, 2, 7, LONGEST])
def test_the_written_network_computes_what_bert_does(weights, length):
    words = some(TOKENS, WIDTH)
    graph = build(Shape(LAYERS, HEADS, WIDTH), table_of(words), weights)
    session = onnxruntime.InferenceSession(b"".join(graph.write()))
    ids = CHANCE.integers(0, TOKENS, length)
    (made,) = session.run(None, {"input_ids": ids[None]})
    assert made.shape == (1, length, WIDTH)
    assert likeness(made[0], bert(ids, words, weights)).min() > 0.995
