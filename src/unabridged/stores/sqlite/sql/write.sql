-- Statements that write.

-- name: set meta
INSERT INTO meta (name, value, digest) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, digest = excluded.digest;

-- name: set tally
INSERT INTO tally (one, body, digest) VALUES (?, ?, ?)
ON CONFLICT (one) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: set session
INSERT INTO session (id, head, updated, body, digest) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    head = excluded.head, updated = excluded.updated, body = excluded.body, digest = excluded.digest;

-- name: remove session
DELETE FROM session WHERE id = ?;

-- name: set exchange
INSERT INTO exchange (id, session, parent, opened_by, state, own, at, mode, model, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    parent = excluded.parent, opened_by = excluded.opened_by, state = excluded.state,
    own = excluded.own, mode = excluded.mode, model = excluded.model, digest = excluded.digest;

-- name: add exchange
INSERT INTO exchange (id, session, parent, opened_by, state, own, at, mode, model, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: remove exchange
DELETE FROM exchange WHERE id = ?;

-- name: add message
INSERT INTO message (seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: move message
UPDATE message SET exchange = ?, parent = ?, digest = ? WHERE seq = ?;

-- name: repack message
UPDATE message SET parts = ?, digest = ? WHERE seq = ?;

-- name: remove message
DELETE FROM message WHERE seq = ?;

-- name: add record
INSERT INTO record (kind, id, at, body, exchanges, blobs, digest) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: add lineage
INSERT OR IGNORE INTO record_exchange (exchange, record) VALUES (?, ?);

-- name: remove record
DELETE FROM record WHERE row = ?;

-- name: remove lineage
DELETE FROM record_exchange WHERE record = ?;

-- name: add blob
INSERT OR IGNORE INTO blob (id, kind, body, digest) VALUES (?, ?, ?, ?);

-- name: add blob use
INSERT OR IGNORE INTO blob_use (user_kind, user_id, blob, digest) VALUES (?, ?, ?, ?);

-- name: remove blob uses
DELETE FROM blob_use WHERE user_kind = ? AND user_id = ?;

-- name: remove blob without use
DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE blob_use.blob = ?1);

-- name: add number
INSERT INTO numbered (number, exchange, session, at, digest, revision) VALUES (?, ?, ?, ?, ?, ?);

-- name: set revision
UPDATE numbered SET revision = ? WHERE exchange = ?;

-- name: remove number
DELETE FROM numbered WHERE number = ?;

-- name: set change
INSERT INTO change (what, name, revision) VALUES (?, ?, ?)
ON CONFLICT (what, name) DO UPDATE SET revision = excluded.revision;

-- name: remove change
DELETE FROM change WHERE what = ? AND name = ?;
