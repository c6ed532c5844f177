-- Statements of the index of words and vectors. Columns stand in the order of their digest.

-- name: entry of
SELECT place, exchange, session, parent, at, position, digest FROM entry WHERE exchange = ?;

-- name: entries at
-- Those of a JSON list of places.
SELECT place, exchange, session, parent, at, position, digest
FROM entry WHERE place IN (SELECT value FROM json_each(?));

-- name: all entries
SELECT place, exchange, session, parent, at, position, digest FROM entry ORDER BY place;

-- name: set entry
INSERT INTO entry (place, exchange, session, parent, at, position, digest) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (place) DO UPDATE SET
    exchange = excluded.exchange, session = excluded.session, parent = excluded.parent,
    at = excluded.at, position = excluded.position, digest = excluded.digest;

-- name: remove entry
DELETE FROM entry WHERE place = ?;

-- name: entries without exchange
SELECT place FROM entry WHERE exchange NOT IN (SELECT id FROM exchange);

-- name: closed exchanges without entry
-- An open one enters with its answer, or before the next lookup.
SELECT count(*) FROM exchange
WHERE state <> 'open' AND id NOT IN (SELECT exchange FROM entry);

-- name: exchanges without entry
SELECT id FROM exchange WHERE id NOT IN (SELECT exchange FROM entry) ORDER BY id LIMIT ?;

-- name: pending of
SELECT revision, passages FROM pending WHERE place = ?;

-- name: pending since
SELECT p.revision, p.place, p.words, p.pieces, p.passages, p.vectors, p.digest, e.session, e.parent, e.at, e.position
FROM pending AS p JOIN entry AS e ON e.place = p.place WHERE p.revision > ? ORDER BY p.revision;

-- name: all pending
SELECT revision, place, passages FROM pending;

-- name: add pending
INSERT INTO pending (revision, place, words, pieces, passages, vectors, digest)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: remove pending
DELETE FROM pending WHERE place = ?;

-- name: remove stray pending
DELETE FROM pending WHERE place NOT IN (SELECT place FROM entry);

-- name: clear pending
DELETE FROM pending;

-- name: bare exchanges
SELECT e.exchange FROM bare AS b JOIN entry AS e ON e.place = b.place ORDER BY b.place LIMIT ?;

-- name: is bare
SELECT place FROM bare WHERE place = ?;

-- name: add bare
INSERT INTO bare (place) VALUES (?);

-- name: remove bare
DELETE FROM bare WHERE place = ?;

-- name: remove stray bare
DELETE FROM bare WHERE place NOT IN (SELECT place FROM entry);

-- name: how many bare
SELECT count(*) FROM bare;

-- name: clear bare
DELETE FROM bare;

-- name: embedders
SELECT number, identity, dimension, in_use, digest FROM embedder ORDER BY number;

-- name: set embedder
INSERT INTO embedder (number, identity, dimension, in_use, digest) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET
    identity = excluded.identity, dimension = excluded.dimension, in_use = excluded.in_use,
    digest = excluded.digest;

-- name: remove embedder
DELETE FROM embedder WHERE number = ?;

-- name: vectors at
-- Those of an embedder at a JSON list of places.
SELECT embedder, place, body, digest
FROM vector WHERE embedder = ? AND place IN (SELECT value FROM json_each(?));

-- name: all vectors
SELECT embedder, place, body, digest FROM vector;

-- name: set vector
INSERT INTO vector (embedder, place, body, digest) VALUES (?, ?, ?, ?)
ON CONFLICT (embedder, place) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: remove vectors of
DELETE FROM vector WHERE place = ?;

-- name: clear vectors
DELETE FROM vector WHERE embedder = ?;

-- name: exchanges without vectors
-- Of an embedder, behind an id.
SELECT e.exchange FROM entry AS e
WHERE e.exchange > ?2 AND NOT EXISTS (
    SELECT 1 FROM vector AS v WHERE v.embedder = ?1 AND v.place = e.place
)
ORDER BY e.exchange LIMIT ?3;

-- name: centres
SELECT embedder, body, digest FROM centres WHERE embedder = ?;

-- name: set centres
INSERT INTO centres (embedder, body, digest) VALUES (?, ?, ?)
ON CONFLICT (embedder) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: remove centres
DELETE FROM centres WHERE embedder = ?;

-- name: segments
SELECT number, name, exchanges, passages, digest FROM segment ORDER BY number;

-- name: add segment
INSERT INTO segment (name, exchanges, passages, digest) VALUES (?, ?, ?, ?);

-- name: remove segment
DELETE FROM segment WHERE number = ?;

-- name: clear segments
DELETE FROM segment;

-- name: masks
SELECT segment, place FROM mask ORDER BY segment, place;

-- name: add mask
INSERT OR IGNORE INTO mask (segment, place) VALUES (?, ?);

-- name: remove masks
DELETE FROM mask WHERE segment = ?;

-- name: clear masks
DELETE FROM mask;
