-- Format 2: one index of words and vectors takes the place of the text index.
--
-- The index itself is arrays in files beside this one (`<name>-index/`), each listed in `segment`; what
-- is newer than they are is `pending`. All of it but `vector` and `centres` can be made anew from the
-- messages; exchanges without an entry get theirs before the next search.

DROP TABLE word_frequency;
DROP TABLE word;

-- The number under which the index knows an exchange. A place is never given twice.
CREATE TABLE entry (
    place    INTEGER PRIMARY KEY,
    exchange TEXT NOT NULL UNIQUE,
    session  INTEGER NOT NULL,        -- a digest of the session's id
    parent   INTEGER NOT NULL,        -- the place of the exchange before it on its path, or -1
    at       REAL NOT NULL,           -- seconds since 1970
    position INTEGER NOT NULL,        -- how many exchanges stand before it on its path
    digest   BLOB NOT NULL
);

-- Entries that no segment holds yet. `revision` grows with every change.
CREATE TABLE pending (
    revision INTEGER PRIMARY KEY,
    place    INTEGER NOT NULL UNIQUE,
    words    BLOB NOT NULL,           -- see index.entry: pack_words
    pieces   BLOB NOT NULL,           -- numbers of word pieces, 16 bits each, little-endian
    passages INTEGER NOT NULL,        -- how many vectors
    vectors  BLOB,                    -- pack_vectors, of the embedder in use; NULL until embedded
    digest   BLOB NOT NULL
);

-- Entries that were made by a program without the embedder in use: they enter again when one has it.
CREATE TABLE bare (
    place INTEGER PRIMARY KEY
);

-- Embedders whose vectors are kept. One of them is in use.
CREATE TABLE embedder (
    number    INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    in_use    INTEGER NOT NULL,
    digest    BLOB NOT NULL
);

-- Vectors that cost something to make: of embedders that are not instant, and while changing over.
CREATE TABLE vector (
    row      INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    body     BLOB NOT NULL,           -- pack_vectors
    digest   BLOB NOT NULL,           -- `row` is not in it
    UNIQUE (embedder, place)
);

-- Points among the vectors of a large space; kept, because what a search gives depends on them.
CREATE TABLE centres (
    embedder INTEGER PRIMARY KEY,
    body     BLOB NOT NULL,
    digest   BLOB NOT NULL
);

-- The files of the index, and the places in each that count no more.
CREATE TABLE segment (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT NOT NULL UNIQUE,
    exchanges INTEGER NOT NULL,
    passages  INTEGER NOT NULL,
    digest    BLOB NOT NULL           -- `number` is not in it
);
CREATE TABLE mask (
    segment INTEGER NOT NULL,         -- segment.number
    place   INTEGER NOT NULL,
    PRIMARY KEY (segment, place)
) WITHOUT ROWID;
