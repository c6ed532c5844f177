-- Format 3: a chain over what was said, by which every change of it is noticed; see domain/chain.py.
--
-- Where a key is set, the digest of each row of session, exchange, record, chain and seal is followed
-- by 16 more bytes: BLAKE2b with the key over the table's name and the digest.
-- A file of an older format gets its links when it is first opened for writing.

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
