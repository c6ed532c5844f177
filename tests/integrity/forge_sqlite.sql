-- What somebody does to a file who knows its format and has no key; see forge_sqlite.py.

-- name: messages
SELECT m.seq, m.id, m.exchange, m.parent, m.role, m.at, m.tokens, m.tokenizer, m.parts, m.digest
FROM message m JOIN exchange e ON e.id = m.exchange WHERE e.session = ? ORDER BY m.seq;

-- name: message
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest FROM message WHERE seq = ?;

-- name: set message
INSERT INTO message (seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: remove message
DELETE FROM message WHERE seq = ?;

-- name: followers
SELECT seq FROM message WHERE parent = ?;

-- name: exchange
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest FROM exchange WHERE id = ?;

-- name: children
SELECT id FROM exchange WHERE parent = ?;

-- name: set exchange
INSERT OR REPLACE INTO exchange (id, session, parent, opened_by, state, own, at, mode, model, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: remove exchange
DELETE FROM exchange WHERE id = ?;

-- name: session
SELECT id, head, updated, body, digest FROM session WHERE id = ?;

-- name: set session
INSERT OR REPLACE INTO session (id, head, updated, body, digest) VALUES (?, ?, ?, ?, ?);

-- name: tally
SELECT one, body, digest FROM tally;

-- name: set tally
INSERT OR REPLACE INTO tally (one, body, digest) VALUES (?, ?, ?);

-- name: remove link
DELETE FROM link WHERE number = ?;

-- name: salt link
UPDATE link SET salt = ? WHERE number = ?;

-- name: loosen link
UPDATE link SET salt = x'', held = x'', gone = ? WHERE number = ?;

-- name: take proof
UPDATE link SET (link, gone) = (SELECT link, gone FROM link WHERE number = ?) WHERE number = ?;

-- name: every message with its session
SELECT m.seq, m.id, m.exchange, m.parent, m.role, m.at, m.tokens, m.tokenizer, m.parts, m.digest, e.session
FROM message m JOIN exchange e ON e.id = m.exchange ORDER BY m.seq;

-- name: clear links
DELETE FROM link;

-- name: clear chains
DELETE FROM chain;

-- name: clear seal
DELETE FROM seal;

-- name: set meta
INSERT OR REPLACE INTO meta (name, value, digest) VALUES (?, ?, ?);
