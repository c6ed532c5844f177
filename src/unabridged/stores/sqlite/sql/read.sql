-- Statements that read. Each begins with its name; columns stand in the order of their digest.

-- name: meta
SELECT name, value, digest FROM meta WHERE name = ?;

-- name: tally
SELECT one, body, digest FROM tally;

-- name: session
SELECT id, head, updated, body, digest FROM session WHERE id = ?;

-- name: sessions
SELECT id, head, updated, body, digest FROM session ORDER BY updated DESC, id DESC LIMIT ?;

-- name: exchange
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest FROM exchange WHERE id = ?;

-- name: exchanges
-- Those of a JSON list of ids.
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange WHERE id IN (SELECT value FROM json_each(?));

-- name: exchanges after
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange WHERE id > ? ORDER BY id LIMIT ?;

-- name: exchanges from the first
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange ORDER BY id LIMIT ?;

-- name: exchanges of a session
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange WHERE session = ? ORDER BY id;

-- name: exchanges sharing a message
SELECT id FROM exchange WHERE opened_by = ? ORDER BY id;

-- name: exchanges by session
SELECT session, count(*) FROM exchange GROUP BY session;

-- name: exchanges by state and model
SELECT state, coalesce(model, '') AS named, count(*) FROM exchange GROUP BY state, named;

-- name: how many exchanges lie there
-- Counted where they lie, not in an index that may know more of them.
SELECT count(*) FROM exchange NOT INDEXED;

-- name: how many exchanges
SELECT count(*) FROM exchange;

-- name: path upwards
-- From an exchange to its ancestors, at most so many.
WITH RECURSIVE path (id, parent, depth) AS (
    SELECT id, parent, 1 FROM exchange WHERE id = ?1
    UNION ALL
    SELECT e.id, e.parent, depth + 1 FROM path JOIN exchange e ON e.id = path.parent WHERE depth < ?2
)
SELECT id, parent FROM path ORDER BY depth;

-- name: message
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message WHERE id = ?;

-- name: messages of an exchange
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message WHERE exchange = ? ORDER BY seq;

-- name: messages of exchanges
-- Those of a JSON list of ids, in no order: sorting would copy every text.
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message WHERE exchange IN (SELECT value FROM json_each(?));

-- name: messages from
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message WHERE seq > ? ORDER BY seq;

-- name: last message of an exchange
SELECT id FROM message WHERE exchange = ? ORDER BY seq DESC LIMIT 1;

-- name: message of a number
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message WHERE seq = ?;

-- name: numbers of a session
SELECT m.seq FROM exchange e JOIN message m ON m.exchange = e.id WHERE e.session = ? ORDER BY m.seq;

-- name: sizes of sessions
SELECT e.session, sum(length(m.parts))
FROM message m JOIN exchange e ON e.id = m.exchange GROUP BY e.session;

-- name: owner of a message
SELECT exchange FROM message WHERE id = ?;

-- name: is exchange
SELECT 1 FROM exchange WHERE id = ?;

-- name: record row
SELECT row FROM record WHERE kind = ? AND id = ?;

-- name: record
SELECT kind, id, at, body, exchanges, blobs, digest FROM record WHERE kind = ? AND id = ?;

-- name: records
-- Those of a JSON list of ids.
SELECT kind, id, at, body, exchanges, blobs, digest
FROM record WHERE kind = ? AND id IN (SELECT value FROM json_each(?));

-- name: record by row
SELECT kind, id, at, body, exchanges, blobs, digest FROM record WHERE row = ?;

-- name: newest records
SELECT kind, id, at, body, exchanges, blobs, digest
FROM record WHERE kind = ? ORDER BY id DESC LIMIT ?;

-- name: all records
SELECT row, kind, id, at, body, exchanges, blobs, digest FROM record ORDER BY row;

-- name: records drawn from
SELECT record FROM record_exchange WHERE exchange = ?;

-- name: blob
SELECT id, kind, body, digest FROM blob WHERE id = ?;

-- name: all blob ids
SELECT id FROM blob ORDER BY id;

-- name: blob uses
SELECT user_kind, user_id, blob, digest FROM blob_use WHERE user_kind = ? AND user_id = ?;

-- name: all blob uses
SELECT user_kind, user_id, blob, digest FROM blob_use ORDER BY user_kind, user_id, blob;

-- name: number of an exchange
SELECT number, exchange, session, at, digest FROM numbered WHERE exchange = ?;

-- name: all numbers
SELECT number, exchange, session, at, digest FROM numbered ORDER BY number;

-- name: exchanges without number
SELECT id FROM exchange WHERE id NOT IN (SELECT exchange FROM numbered) ORDER BY id;

-- name: numbers without exchange
SELECT number FROM numbered WHERE exchange NOT IN (SELECT id FROM exchange);

-- name: ids of exchanges
-- Those of a JSON list that are stored.
SELECT id FROM exchange WHERE id IN (SELECT value FROM json_each(?));

-- name: ids of messages
-- Likewise.
SELECT id FROM message WHERE id IN (SELECT value FROM json_each(?));

-- name: is erased
SELECT 1 FROM change WHERE what = 'erased' LIMIT 1;

-- name: written since
SELECT number, exchange, session, at, digest FROM numbered WHERE revision > ? ORDER BY revision, number;

-- name: changed since
SELECT what, name FROM change WHERE revision > ? ORDER BY revision, name;
