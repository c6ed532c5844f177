-- Statements of the chain. Those that the witness sees stand in read.sql and write.sql.

-- name: seal
SELECT one, body, digest FROM seal;

-- name: set seal
INSERT INTO seal (one, body, digest) VALUES (?, ?, ?)
ON CONFLICT (one) DO UPDATE SET body = excluded.body, digest = excluded.digest;

-- name: chain
SELECT session, number, length, last, digest FROM chain WHERE session = ?;

-- name: chains
SELECT session, number, length, last, digest FROM chain;

-- name: set chain
INSERT INTO chain (session, number, length, last, digest) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (session) DO UPDATE SET
    number = excluded.number, length = excluded.length, last = excluded.last, digest = excluded.digest;

-- name: remove chain
DELETE FROM chain WHERE session = ?;

-- name: clear chains
DELETE FROM chain;

-- name: add link
INSERT INTO link (number, chain, place, parent, salt, promise, link, root, held, gone)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: set link
UPDATE link SET promise = ?, link = ?, root = ?, held = ?, gone = ? WHERE number = ?;

-- name: hold link
UPDATE link SET held = ? WHERE number = ?;

-- name: loosen link
UPDATE link SET salt = x'', held = x'', gone = ? WHERE number = ?;

-- name: link of a number
SELECT link, salt FROM link WHERE number = ?;

-- name: links with those before
-- Those of a JSON list of numbers, each with the link before it in its chain.
SELECT l.number, l.chain, l.place, l.parent, l.salt, l.promise, l.link, l.root, l.held, l.gone, b.link
FROM link l LEFT JOIN link b ON b.chain = l.chain AND b.place = l.place - 1
WHERE l.number IN (SELECT value FROM json_each(?));

-- name: stretch of a chain
-- How many links are between two places; how many of them have no message and are not marked as
-- forgotten, or have one and are; and how many are marked as forgotten.
SELECT count(*), count(CASE WHEN (m.seq IS NULL) <> (l.salt = x'') THEN 1 END),
       count(CASE WHEN l.salt = x'' THEN 1 END)
FROM link l LEFT JOIN message m ON m.seq = l.number
WHERE l.chain = ? AND l.place BETWEEN ? AND ?;

-- name: forgotten in a stretch
-- Those between two places that are marked as forgotten, each with the link before it in its chain.
SELECT l.number, l.chain, l.place, l.parent, l.salt, l.promise, l.link, l.root, l.held, l.gone, b.link
FROM link l LEFT JOIN link b ON b.chain = l.chain AND b.place = l.place - 1
WHERE l.chain = ? AND l.place BETWEEN ? AND ? AND l.salt = x'';

-- name: last link
SELECT place, link FROM link WHERE chain = ? ORDER BY place DESC LIMIT 1;

-- name: root of a number
SELECT root FROM link WHERE number = ?;

-- name: number of a message
SELECT seq FROM message WHERE id = ?;

-- name: session of an exchange
SELECT session FROM exchange WHERE id = ?;

-- name: every link with its message
SELECT l.number, l.chain, l.place, l.parent, l.salt, l.promise, l.link, l.root, l.held, l.gone,
       e.session, p.id,
       m.seq, m.id, m.exchange, m.parent, m.role, m.at, m.tokens, m.tokenizer, m.parts, m.digest
FROM link l
LEFT JOIN message m ON m.seq = l.number
LEFT JOIN exchange e ON e.id = m.exchange
LEFT JOIN message p ON p.seq = l.parent
ORDER BY l.number;

-- name: parent of a link
-- The number that it followed, and the message that has that number.
SELECT l.parent, m.id FROM link l LEFT JOIN message m ON m.seq = l.number WHERE l.number = ?;

-- name: messages without link
SELECT m.seq, m.id, m.exchange FROM message m
WHERE NOT EXISTS (SELECT 1 FROM link l WHERE l.number = m.seq) ORDER BY m.seq;

-- name: digest of a session
SELECT digest FROM session WHERE id = ?;

-- name: digest of an exchange
SELECT digest FROM exchange WHERE id = ?;

-- name: digest of a record
SELECT digest FROM record WHERE row = ?;

-- name: digests of sessions
SELECT id, digest FROM session;

-- name: digests of exchanges
SELECT id, digest FROM exchange;

-- name: digests of records
SELECT row, digest FROM record;

-- name: stamp session
UPDATE session SET digest = ? WHERE id = ?;

-- name: stamp exchange
UPDATE exchange SET digest = ? WHERE id = ?;

-- name: stamp record
UPDATE record SET digest = ? WHERE row = ?;

-- name: how many messages
SELECT count(*) FROM message;

-- name: place of a message
SELECT m.exchange, m.parent, l.held FROM message m JOIN link l ON l.number = m.seq WHERE m.seq = ?;

-- name: how many forgotten
SELECT count(*) FROM link WHERE salt = x'';
