"""The second process of an import: it analyses the texts that it is given, and nothing else."""

import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread

from unabridged.embeddings.static import IDENTITY, StaticEmbedder
from unabridged.embeddings.word_pieces import StaticLexicon
from unabridged.projections.search_index.analysis_messages import (
    pack_results,
    read_frame,
    unpack_texts,
    write_frame,
)
from unabridged.retrieval.analyze import Analyzer

MODULE = __name__
WORKS_FOR = IDENTITY
"""The identity of the embedder that it uses."""


def main() -> None:
    """Analyse what comes from the standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the import is interrupted, and then ends this
    texts: SimpleQueue[bytes | None] = SimpleQueue()
    Thread(target=_read_ahead, args=(texts,), daemon=True).start()
    embedder = StaticEmbedder()
    analyzer = Analyzer(embedder, StaticLexicon())
    while (data := texts.get()) is not None:
        made = analyzer.read_texts(unpack_texts(data), embed=True)
        try:
            write_frame(sys.stdout.buffer, pack_results(made, embedder.dimension))
        except OSError:  # whoever asked is gone, and the thread may still wait for texts
            os._exit(1)
    os._exit(0)  # at once: to free its tables takes longer, and whoever asked waits for its end


def _read_ahead(texts: "SimpleQueue[bytes | None]") -> None:
    # While texts are analysed, so that whoever writes the next ones need not wait.
    try:
        while True:
            texts.put(read_frame(sys.stdin.buffer))
    except (EOFError, OSError):
        texts.put(None)
