-- Statements of the text index, its check and its rebuilding.

-- name: messages that hold
-- Every message of a term, as a JSON list.
SELECT json_group_array(rowid) FROM word WHERE word MATCH ?;

-- name: lengths of messages
-- In terms, as FTS5 writes them; of a JSON list of numbers.
SELECT id, sz FROM word_docsize WHERE id IN (SELECT value FROM json_each(?));

-- name: newest matching messages
SELECT rowid FROM word WHERE word MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: words of a message
SELECT terms FROM word WHERE rowid = ?;

-- name: frequencies
-- Of a JSON list of terms.
SELECT term, doc FROM word_frequency WHERE term IN (SELECT value FROM json_each(?));

-- name: words and places of messages
-- Of a JSON list of numbers.
SELECT m.seq, m.exchange, m.role, w.terms
FROM json_each(?) AS wanted CROSS JOIN message AS m ON m.seq = wanted.value
LEFT JOIN word AS w ON w.rowid = m.seq;

-- name: siblings of messages
-- Who shares the messages of a JSON list of numbers.
SELECT m.seq, e.id
FROM json_each(?) AS wanted CROSS JOIN message AS m ON m.seq = wanted.value
CROSS JOIN exchange AS e ON e.opened_by = m.id;

-- name: quick check
PRAGMA quick_check(20);

-- name: check words
-- With rank 1 the index is compared with the stored terms; damage raises SQLITE_CORRUPT.
INSERT INTO word (word, rank) VALUES ('integrity-check', 1);

-- name: indexed messages
SELECT rowid FROM word ORDER BY rowid;

-- name: lineage
SELECT exchange, record FROM record_exchange;

-- name: discard words
DROP TABLE IF EXISTS word_frequency;
DROP TABLE IF EXISTS word;

-- name: make words
CREATE VIRTUAL TABLE word USING fts5(terms, tokenize = 'ascii');
INSERT INTO word (word, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE word_frequency USING fts5vocab(word, 'row');

-- name: clear lineage
DELETE FROM record_exchange;

-- name: reindex
REINDEX;
