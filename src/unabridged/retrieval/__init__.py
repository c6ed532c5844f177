"""Finding past exchanges: words, search, ranking. No I/O: a store is handed in."""
