-- Format 1: the append-only log and what is drawn from it.
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

-- The log. `seq` grows and is never given twice; it is also the rowid of the text index.
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
    digest    BLOB NOT NULL,          -- `row` is not in it
    UNIQUE (kind, id)
);
CREATE TABLE record_exchange (
    exchange TEXT NOT NULL,
    record   INTEGER NOT NULL,        -- record.row
    PRIMARY KEY (exchange, record)
) WITHOUT ROWID;
CREATE INDEX record_exchange_record ON record_exchange (record);

-- The text index: the terms of what user and assistant said, split by `retrieval.words` and joined by
-- spaces. The tokenizer only splits at those spaces: `ascii` takes everything beyond ASCII as letters.
-- The terms are stored beside the index (no `content=''`), because a contentless index cannot remove
-- its entries: forgetting needs them, and the integrity check compares with them.
CREATE VIRTUAL TABLE word USING fts5(terms, tokenize = 'ascii');
INSERT INTO word (word, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE word_frequency USING fts5vocab(word, 'row');
