-- Statements of vectors that cost something to make, and of cluster centroids.

-- name: embedders
SELECT number, identity, dimension, in_use, stored, digest FROM embedder ORDER BY number;

-- name: set embedder
INSERT INTO embedder (number, identity, dimension, in_use, stored, digest) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (number) DO UPDATE SET
    identity = excluded.identity, dimension = excluded.dimension, in_use = excluded.in_use,
    stored = excluded.stored, digest = excluded.digest;

-- name: remove embedder
DELETE FROM embedder WHERE number = ?;

-- name: vectors at
-- Those of an embedder at a JSON list of numbers.
SELECT embedder, number, body, digest
FROM vector WHERE embedder = ? AND number IN (SELECT value FROM json_each(?));

-- name: all vectors
SELECT embedder, number, body, digest FROM vector;

-- name: set vector
INSERT INTO vector (embedder, number, body, digest) VALUES (?, ?, ?, ?)
ON CONFLICT (embedder, number) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: remove vectors of
DELETE FROM vector WHERE number = ?;

-- name: clear vectors
DELETE FROM vector WHERE embedder = ?;

-- name: exchanges without vectors
-- Of an embedder, behind an id.
SELECT n.exchange FROM numbered AS n
WHERE n.exchange > ?2 AND NOT EXISTS (
    SELECT 1 FROM vector AS v WHERE v.embedder = ?1 AND v.number = n.number
)
ORDER BY n.exchange LIMIT ?3;

-- name: centres
SELECT embedder, body, digest FROM centres WHERE embedder = ?;

-- name: set centres
INSERT INTO centres (embedder, body, digest) VALUES (?, ?, ?)
ON CONFLICT (embedder) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: remove centres
DELETE FROM centres WHERE embedder = ?;

-- name: all centres
SELECT embedder, body, digest FROM centres;
