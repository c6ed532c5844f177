-- Format 1: the append-only log, what was drawn from it, and what its search index needs.
--
-- Every row that carries content carries a digest: BLAKE2b (16 bytes) over the MessagePack array of
-- the table's name and the row's other columns, in the order of this file. It is checked whenever
-- the row is read. Texts that hold lone surrogates are stored as blobs (UTF-8 with `surrogatepass`).

-- What the file is: its space, its uuid, the program that began it.
CREATE TABLE meta (
    name   TEXT NOT NULL PRIMARY KEY,
    value  BLOB NOT NULL,             -- JSON
    digest BLOB NOT NULL
) WITHOUT ROWID;

-- How much there is, kept in the same transaction as what it counts: a JSON object in one row.
CREATE TABLE tally (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    body   BLOB NOT NULL,
    digest BLOB NOT NULL
);

-- Headers of conversations.
CREATE TABLE session (
    id      TEXT NOT NULL PRIMARY KEY,
    head    TEXT,                     -- the id of the newest message on the current path
    updated INTEGER NOT NULL,         -- microseconds since 1970, for the order
    body    BLOB NOT NULL,            -- JSON: title, created, updated, source, foreign_id
    digest  BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_updated ON session (updated, id);

-- Exchanges: views over the log.
CREATE TABLE exchange (
    id        TEXT NOT NULL PRIMARY KEY,
    session   TEXT NOT NULL,
    parent    TEXT,                   -- the exchange before it on its path
    opened_by TEXT,                   -- a message of a sibling that stands in front of its own
    state     TEXT NOT NULL,
    own       INTEGER NOT NULL,       -- how many messages of its own it has
    at        TEXT NOT NULL,          -- ISO 8601
    mode      TEXT NOT NULL,
    model     TEXT,
    digest    BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX exchange_session ON exchange (session);
CREATE INDEX exchange_opened_by ON exchange (opened_by) WHERE opened_by IS NOT NULL;

-- The log. `seq` grows and is never given twice.
CREATE TABLE message (
    seq       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    exchange  TEXT NOT NULL,
    parent    TEXT,                   -- the message before it on its path
    role      TEXT NOT NULL,
    at        TEXT NOT NULL,
    tokens    INTEGER,
    tokenizer TEXT,
    parts     BLOB NOT NULL,          -- JSON: the content parts, as `part_to_dict` gives them
    digest    BLOB NOT NULL
);
CREATE INDEX message_exchange ON message (exchange);

-- Anything beside the messages, and which exchanges it was drawn from.
CREATE TABLE record (
    row       INTEGER PRIMARY KEY,
    kind      TEXT NOT NULL,
    id        TEXT NOT NULL,
    at        TEXT NOT NULL,
    body      BLOB NOT NULL,          -- JSON
    exchanges BLOB NOT NULL,          -- JSON: a list of ids
    blobs     BLOB NOT NULL,          -- JSON: a list of digests
    digest    BLOB NOT NULL,          -- `row` is not in it
    UNIQUE (kind, id)
);
CREATE TABLE record_exchange (
    exchange TEXT NOT NULL,
    record   INTEGER NOT NULL,        -- record.row
    PRIMARY KEY (exchange, record)
) WITHOUT ROWID;
CREATE INDEX record_exchange_record ON record_exchange (record);

-- Bytes that messages and records share: each is stored once, as long as anything uses it.
CREATE TABLE blob (
    id     TEXT NOT NULL PRIMARY KEY, -- SHA-256 of kind and body in hex, see domain/blob.py
    kind   TEXT NOT NULL,             -- system, tools, image, original
    body   BLOB NOT NULL,
    digest BLOB NOT NULL
);

-- What uses a blob: a message, or a record of a kind.
CREATE TABLE blob_use (
    user_kind TEXT NOT NULL,          -- message, or record.kind
    user_id   TEXT NOT NULL,          -- message.id or record.id
    blob      TEXT NOT NULL,
    digest    BLOB NOT NULL,
    PRIMARY KEY (user_kind, user_id, blob)
) WITHOUT ROWID;
CREATE INDEX blob_use_blob ON blob_use (blob);

-- The number of each exchange, and the revision at which it was written to last. A number is never
-- given twice; it orders exchanges where the ranking finds them equal.
CREATE TABLE numbered (
    number   INTEGER PRIMARY KEY,
    exchange TEXT NOT NULL UNIQUE,
    session  INTEGER NOT NULL,        -- a digest of the session's id: what was damaged is told apart
    at       REAL NOT NULL,           -- seconds since 1970
    revision INTEGER NOT NULL,
    digest   BLOB NOT NULL            -- `revision` is not in it
);
CREATE INDEX numbered_revision ON numbered (revision, number);

-- What else changed, and at which revision last: exchanges that were erased, that follow another one
-- since then, or got vectors; sessions whose header changed or that went.
CREATE TABLE change (
    what     TEXT NOT NULL,           -- erased, moved, embedded, session
    name     TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (what, name)
) WITHOUT ROWID;
CREATE INDEX change_revision ON change (revision, what);

-- Embedders whose vectors are kept. One of them is in use.
CREATE TABLE embedder (
    number    INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    in_use    INTEGER NOT NULL,
    stored    INTEGER NOT NULL,       -- whether its vectors are, because they cost something to make
    digest    BLOB NOT NULL
);

-- Vectors that cost something to make: of embedders that are not instant, and while changing over.
CREATE TABLE vector (
    row      INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL,
    number   INTEGER NOT NULL,        -- of the exchange
    body     BLOB NOT NULL,           -- see index.entry: pack_vectors
    digest   BLOB NOT NULL,           -- `row` is not in it
    UNIQUE (embedder, number)
);

-- Points among the vectors of a large space; kept, because what a search gives depends on them.
CREATE TABLE centres (
    embedder INTEGER PRIMARY KEY,
    body     BLOB NOT NULL,
    digest   BLOB NOT NULL
);

-- A chain over what was said, by which every change of it is noticed; see domain/chain.py.
--
-- Where a key is set, the digest of each row of session, exchange, record, chain and seal is followed
-- by 16 more bytes: BLAKE2b with the key over the table's name and the digest.

-- One for each message that was ever stored; those of forgotten messages stay, and tell nothing.
CREATE TABLE link (
    number  INTEGER PRIMARY KEY,      -- message.seq
    chain   INTEGER NOT NULL,         -- the number of the first link of its session
    place   INTEGER NOT NULL,         -- its place in that chain, from 1
    parent  INTEGER NOT NULL,         -- the number of the message that it followed; 0 none, -1 unknown
    salt    BLOB NOT NULL,            -- 16 random bytes; empty once it was forgotten
    promise BLOB NOT NULL,            -- over salt and message
    link    BLOB NOT NULL,            -- over the link before it in its chain, promise and place
    root    BLOB NOT NULL,            -- over the root of the number before it, and link
    held    BLOB NOT NULL,            -- over its exchange and the message before it; empty likewise
    gone    BLOB NOT NULL             -- shows that it was forgotten by right; empty until then
);
CREATE UNIQUE INDEX link_place ON link (chain, place);

-- Where the chain of each session ends.
CREATE TABLE chain (
    session TEXT NOT NULL PRIMARY KEY,
    number  INTEGER NOT NULL,         -- link.chain
    length  INTEGER NOT NULL,
    last    BLOB NOT NULL,            -- link.link at that place
    digest  BLOB NOT NULL
) WITHOUT ROWID;

-- What the file holds in all, in one row.
CREATE TABLE seal (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    body   BLOB NOT NULL,             -- JSON: see sqlite/seal.py
    digest BLOB NOT NULL
);
