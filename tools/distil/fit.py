"""Fit the table to the teacher's vectors and write the files of the package.

Usage: fit.py WORK-FOLDER DATA-FOLDER (see run.sh)
"""

import argparse
import hashlib
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own name for it
from numpy.typing import NDArray
from torch import Tensor, nn
from vocabulary import BERT_PIECES, vocabulary

from unabridged.embeddings.wordpiece import WordPiece, words_of

DIMENSION = 384
RARE = 1e-4
"""The smooth inverse frequency of Arora et al. 2017; pieces are ordered by how frequent they are."""

EPOCHS = 4
BATCH = 1024
LEARNING_RATE = 2e-3
TEMPERATURE = 0.1
NEIGHBOURS = 0.1
"""Weight of the distances between texts; the direction of each text weighs 1."""

TALK = ("chatterbot", "daily", "endless-sky", "fortunes", "naev", "wesnoth")
WEIGHTS: dict[str, float] = {"definitions": 0.3} | dict.fromkeys(TALK, 3.0)
"""Source to how often its texts are drawn (others: 1). Memory holds talk, so talk counts more."""

LONG = 0.5
"""Share of the batches that join texts in pairs, so that long texts are learned too."""

LONGEST = 158
"""Pieces of a text: what the teacher read of it."""

LEARNT = 6
"""Occurrences in the texts from which on a piece counts as learnt; frequent words always do."""

SEED = 0


def special(piece: str) -> bool:
    """Whether it is a mark of the tokenizer: ``[CLS]``, ``[unused7]``."""
    return len(piece) > 2 and piece.startswith("[") and piece.endswith("]")


def latin(piece: str) -> bool:
    """Whether its letters are Latin; the teacher reads English."""
    letters = [c for c in piece if c.isalpha() and not c.isascii()]
    return all(unicodedata.name(c, "").startswith("LATIN") for c in letters)


class Material:
    """The texts in pieces, and where the teacher's vectors point.

    Args:
        work: What ``corpus.py`` and ``teacher.py`` wrote.
        pieces: The vocabulary.
    """

    def __init__(self, work: Path, pieces: Sequence[str]) -> None:
        gathered = json.loads((work / "texts.json").read_text("utf-8"))
        texts = [text for _, text in gathered]
        self.weights = np.array([WEIGHTS.get(source, 1.0) for source, _ in gathered])
        wordpiece = WordPiece(pieces)
        memo = {word: wordpiece.pieces(word) for text in texts for word in set(words_of(text))}
        cut = [[p for word in words_of(text) for p in memo[word]] for text in texts]
        self.counts = np.bincount(np.concatenate(cut).astype(int), minlength=len(pieces))
        self.cut = [np.array(ids[:LONGEST]) for ids in cut]
        parts = [np.load(path) for path in sorted(work.glob("vectors-*.npy"))]
        vectors = np.concatenate(parts).astype(np.float32)
        centred = vectors - vectors.mean(axis=0)
        _, turned = np.linalg.eigh(centred.T @ centred)
        self.directions = turned[:, ::-1][:, :DIMENSION].copy()
        self.targets = F.normalize(torch.tensor(centred @ self.directions), dim=-1)

    def batch(self, places: NDArray[np.int64], *, joined: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Pieces of some texts end to end, where each text begins, and its target.

        Args:
            places: Which texts; an even number of them.
            joined: Whether each two neighbours become one text, which points between both.
        """
        targets = self.targets[places]
        texts = [self.cut[place] for place in places]
        if joined:
            texts = [np.concatenate(texts[n : n + 2]) for n in range(0, len(texts), 2)]
            targets = F.normalize(targets[0::2] + targets[1::2], dim=-1)
        starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
        return torch.tensor(np.concatenate(texts)), torch.tensor(starts), targets


def start(alone: NDArray[np.float32], material: Material, marks: NDArray[np.bool_]) -> Tensor:
    """The table before the fit: the pieces read alone, turned and weighted."""
    table = (alone - alone[1000:].mean(axis=0)) @ material.directions
    share = 1 / np.arange(1, len(table) + 1)
    share /= share[:BERT_PIECES].sum()
    table *= (RARE / (RARE + share))[:, None]
    table[marks] = 0
    return torch.tensor(table / np.linalg.norm(table[~marks], axis=1).mean(), dtype=torch.float32)


def loss(sums: Tensor, targets: Tensor) -> Tensor:
    """Where each text points, and how the texts lie among one another."""
    found = F.normalize(sums, dim=-1)
    aside = torch.eye(len(found), dtype=torch.bool)
    wanted = F.softmax((targets @ targets.T / TEMPERATURE).masked_fill(aside, -1e4), dim=-1)
    given = F.log_softmax((found @ found.T / TEMPERATURE).masked_fill(aside, -1e4), dim=-1)
    pointing = (1 - (found * targets).sum(dim=-1)).mean()
    return pointing - NEIGHBOURS * (wanted * given).sum(dim=-1).mean()


def fit(table: Tensor, material: Material) -> NDArray[np.float32]:
    """Fit the rows, their lengths with them."""
    rows = nn.EmbeddingBag.from_pretrained(table, freeze=False, mode="sum", sparse=True)
    chance = np.random.default_rng(SEED)
    usable = np.array([place for place, ids in enumerate(material.cut) if len(ids) > 2])
    odds = material.weights[usable] / material.weights[usable].sum()
    steps = len(usable) // BATCH
    optimizer = torch.optim.SparseAdam(rows.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=EPOCHS * steps, pct_start=0.1
    )
    for epoch in range(EPOCHS):
        total = 0.0
        for _ in range(steps):
            places = chance.choice(usable, BATCH, p=odds)
            ids, starts, targets = material.batch(places, joined=chance.random() < LONG)
            missed = loss(rows(ids, starts), targets)
            optimizer.zero_grad()
            missed.backward()
            optimizer.step()
            schedule.step()
            total += missed.item()
        print("epoch", epoch + 1, "loss", round(total / steps, 4), flush=True)
    fitted: NDArray[np.float32] = rows.weight.detach().numpy()
    return fitted


def ship(
    table: NDArray[np.float32], pieces: Sequence[str], learnt: NDArray[np.bool_], folder: Path
) -> None:
    """Write the rows as int8 with an integer scale each, and print their digest."""
    keep = [n for n, piece in enumerate(pieces) if not special(piece) and latin(piece)]
    table = table[keep]
    largest = np.abs(table).max(axis=1) / 127
    step = np.quantile(largest, 0.9999) / 255
    scales = np.clip(np.ceil(largest / step), 1, 255)
    rows = np.clip(np.rint(table / (scales[:, None] * step)), -127, 127)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "table.npy", rows.astype(np.int8))
    np.save(folder / "scales.npy", scales.astype(np.uint8))
    np.save(folder / "learnt.npy", learnt[keep])
    (folder / "vocabulary.txt").write_text("\n".join(pieces[n] for n in keep), "utf-8")
    written = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
    print(
        len(keep), "rows,", len(written), "bytes, digest", hashlib.sha256(written).hexdigest()[:16]
    )


def main() -> None:
    """Fit the table and write it."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("work", type=Path)
    arguments.add_argument("data", type=Path)
    given = arguments.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    pieces = vocabulary(given.work / "all-mpnet-base-v2")
    material = Material(given.work, pieces)
    marks = np.array([special(piece) for piece in pieces])
    table = start(np.load(given.work / "pieces.npy"), material, marks)
    learnt = (material.counts >= LEARNT) | (np.arange(len(pieces)) >= BERT_PIECES)
    ship(fit(table, material), pieces, learnt, given.data)


if __name__ == "__main__":
    main()
