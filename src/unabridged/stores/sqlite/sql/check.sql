-- Statements of the check and of making indices anew.

-- name: quick check
PRAGMA quick_check(20);

-- name: lineage
SELECT exchange, record FROM record_exchange;

-- name: clear lineage
DELETE FROM record_exchange;

-- name: clear blob uses of records
DELETE FROM blob_use WHERE user_kind <> 'message';

-- name: clear blobs without use
DELETE FROM blob WHERE id NOT IN (SELECT blob FROM blob_use);

-- name: reindex
REINDEX;
