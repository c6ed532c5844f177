-- Statements of the check and of making indices anew.

-- name: quick check
PRAGMA quick_check(20);

-- name: lineage
SELECT exchange, record FROM record_exchange;

-- name: clear lineage
DELETE FROM record_exchange;

-- name: reindex
REINDEX;
