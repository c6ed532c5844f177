-- What is asked of SQLite files of other programs. Names are put in quoted, by `database`.

-- name: clean
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA mmap_size = 0;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -8000;
PRAGMA query_only = ON;

-- name: encoding
PRAGMA encoding;

-- name: plain tables
SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0;

-- name: columns of a table
PRAGMA table_info({table});

-- name: every row
SELECT rowid, {columns} FROM {table} ORDER BY rowid;

-- name: one row
SELECT {columns} FROM {table} WHERE rowid = ?;
