-- Statements that read what is intact in a damaged file; columns are in the order of their digest.

-- name: recover meta one
SELECT name, value, digest FROM meta WHERE name = ?;

-- name: recover tally up
SELECT one, body, digest FROM tally;

-- name: recover message up
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message NOT INDEXED ORDER BY seq;

-- name: recover message down
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message NOT INDEXED ORDER BY seq DESC;

-- name: recover message one
SELECT seq, id, exchange, parent, role, at, tokens, tokenizer, parts, digest
FROM message NOT INDEXED WHERE seq = ?;

-- name: recover record up
SELECT row, kind, id, at, body, exchanges, blobs, digest FROM record NOT INDEXED ORDER BY row;

-- name: recover record down
SELECT row, kind, id, at, body, exchanges, blobs, digest FROM record NOT INDEXED ORDER BY row DESC;

-- name: recover record one
SELECT row, kind, id, at, body, exchanges, blobs, digest FROM record NOT INDEXED WHERE row = ?;

-- name: recover numbered up
SELECT number, exchange, session, at, digest FROM numbered NOT INDEXED ORDER BY number;

-- name: recover numbered down
SELECT number, exchange, session, at, digest FROM numbered NOT INDEXED ORDER BY number DESC;

-- name: recover numbered one
SELECT number, exchange, session, at, digest FROM numbered NOT INDEXED WHERE number = ?;

-- name: recover exchange up
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange NOT INDEXED ORDER BY id;

-- name: recover exchange down
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange NOT INDEXED ORDER BY id DESC;

-- name: recover exchange one
SELECT id, session, parent, opened_by, state, own, at, mode, model, digest
FROM exchange NOT INDEXED WHERE id = ?;

-- name: recover session up
SELECT id, head, updated, body, digest FROM session NOT INDEXED ORDER BY id;

-- name: recover session down
SELECT id, head, updated, body, digest FROM session NOT INDEXED ORDER BY id DESC;

-- name: recover session one
SELECT id, head, updated, body, digest FROM session NOT INDEXED WHERE id = ?;

-- name: recover blob up
SELECT id, kind, body, digest FROM blob NOT INDEXED ORDER BY rowid;

-- name: recover blob down
SELECT id, kind, body, digest FROM blob NOT INDEXED ORDER BY rowid DESC;

-- name: recover blob one
SELECT id, kind, body, digest FROM blob WHERE id = ?;

-- name: recover blob_use up
SELECT user_kind, user_id, blob, digest FROM blob_use NOT INDEXED ORDER BY user_kind, user_id, blob;

-- name: recover blob_use down
SELECT user_kind, user_id, blob, digest FROM blob_use NOT INDEXED
ORDER BY user_kind DESC, user_id DESC, blob DESC;

-- name: recover blob_use one
SELECT user_kind, user_id, blob, digest FROM blob_use WHERE user_kind = 'message' AND user_id = ?;
