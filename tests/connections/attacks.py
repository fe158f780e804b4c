"""Statements that must never do harm, with the layers that stop each of them on their own.

The bait is the table `bait` and the file `{folder}/secret.txt`, whose word must never come back. The layers:

- "guard": the static check before the database sees anything;
- "session": the read-only session of the driver, with the guard switched off and an administrator's login;
- "role": a role with SELECT only (PostgreSQL, MySQL), with the guard off and an ordinary session that is not read-only.
"""

from __future__ import annotations

from dataclasses import dataclass

SECRET = "canary-51f0"
BAIT = f"""
CREATE TABLE bait (id INTEGER PRIMARY KEY, entry VARCHAR(40));
INSERT INTO bait VALUES (1, 'one'), (2, 'two'), (3, '{SECRET[:6]}');
CREATE TABLE plain (id INTEGER, label VARCHAR(40));
INSERT INTO plain VALUES (1, 'a'), (2, 'b')
"""

SERVERS = ("postgresql", "mysql")
ALL = ("sqlite", "duckdb", "postgresql", "mysql")
EVERY_LAYER = frozenset({"guard", "session", "role"})
GUARD_AND_SESSION = frozenset({"guard", "session"})
GUARD_AND_ROLE = frozenset({"guard", "role"})
GUARD_ALONE = frozenset({"guard"})


@dataclass(frozen=True, slots=True)
class Attack:
    """`why` is the reason where fewer than two layers stop it."""

    sql: str
    dialects: tuple[str, ...]
    stopped_by: frozenset[str] = EVERY_LAYER
    why: str = ""


READABLE = "any login may read it; a role cannot be denied it"

ATTACKS = (
    Attack("DELETE FROM bait", ALL),
    Attack("UPDATE bait SET entry = 'x'", ALL),
    Attack("INSERT INTO bait VALUES (9, 'x')", ALL),
    Attack("DROP TABLE bait", ALL),
    Attack("ALTER TABLE bait ADD COLUMN more INTEGER", ALL),
    Attack("CREATE TABLE stolen AS SELECT * FROM bait", ALL),
    Attack("CREATE INDEX i ON bait (entry)", ALL),
    Attack("CREATE VIEW v AS SELECT * FROM bait", ALL),
    Attack("TRUNCATE TABLE bait", SERVERS),
    Attack("WITH d AS (DELETE FROM bait RETURNING id) SELECT id FROM d", ("postgresql",)),
    Attack("WITH d AS (SELECT 1) DELETE FROM bait", ("sqlite", "duckdb", "postgresql", "mysql")),
    Attack("SELECT id FROM plain; DELETE FROM bait", ALL),
    Attack("SELECT id FROM plain;DELETE FROM bait;--", ALL),
    Attack("SELECT 1; COMMIT; DELETE FROM bait", SERVERS),
    Attack("COMMIT; DELETE FROM bait", ("postgresql",)),
    Attack("SELECT * INTO stolen FROM bait", ("postgresql",)),
    Attack("EXPLAIN ANALYZE DELETE FROM bait", ("postgresql", "duckdb")),
    Attack("DO $$ BEGIN DELETE FROM bait; END $$", ("postgresql",)),
    Attack("SET TRANSACTION READ WRITE", ("postgresql",), GUARD_AND_SESSION),
    Attack("SELECT set_config('transaction_read_only', 'off', false)", ("postgresql",), GUARD_AND_SESSION),
    Attack("COPY bait TO PROGRAM 'cat > {folder}/out'", ("postgresql",)),
    Attack("COPY bait FROM PROGRAM 'echo 9'", ("postgresql",)),
    Attack("COPY bait TO '{folder}/out.csv'", ("postgresql", "duckdb")),
    Attack("SELECT query_to_xml('DELETE FROM bait', true, true, '')", ("postgresql",)),
    Attack("SELECT lo_from_bytea(0, 'x')", ("postgresql",), GUARD_ALONE,
           "anybody may make large objects, and PostgreSQL before 16 lets a read-only transaction do it; "
           "the transaction is rolled back"),
    Attack("SELECT pg_read_file('{folder}/secret.txt')", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT pg_ls_dir('{folder}')", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT nextval('tickets')", ("postgresql",)),
    Attack("LOCK TABLE bait", ("postgresql",)),
    Attack("SELECT id FROM bait FOR UPDATE", ("postgresql",)),
    Attack("CALL nothing()", SERVERS),
    Attack("GRANT ALL ON bait TO PUBLIC", ("postgresql",)),
    Attack("CREATE ROLE intruder", ("postgresql",)),
    Attack("SELECT id FROM bait INTO OUTFILE '{folder}/out.txt'", ("mysql",), GUARD_AND_ROLE),
    Attack("SELECT LOAD_FILE('{folder}/secret.txt')", ("mysql",), GUARD_AND_ROLE),
    Attack("LOAD DATA LOCAL INFILE '{folder}/secret.txt' INTO TABLE bait", ("mysql",)),
    Attack("REPLACE INTO bait VALUES (1, 'x')", ("sqlite", "mysql")),
    Attack("HANDLER bait OPEN", ("mysql",), GUARD_AND_SESSION),
    Attack("SET SESSION tx_read_only = 0", ("mysql",), GUARD_AND_SESSION),
    Attack("SET GLOBAL max_connections = 5", ("mysql",)),
    Attack("CREATE USER intruder", ("mysql",)),
    Attack("FLUSH TABLES", ("mysql",)),
    Attack("ATTACH DATABASE '{folder}/new.db' AS n", ("sqlite",), GUARD_AND_SESSION),
    Attack("ATTACH '{folder}/new.db' AS n", ("duckdb",), GUARD_AND_SESSION),
    Attack("VACUUM INTO '{folder}/copy.db'", ("sqlite",), GUARD_AND_SESSION),
    Attack("PRAGMA query_only = 0", ("sqlite",), GUARD_AND_SESSION),
    Attack("PRAGMA writable_schema = 1", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT sql FROM sqlite_master", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT * FROM pragma_table_info('bait')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT load_extension('{folder}/x')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT readfile('{folder}/secret.txt')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT fts3_tokenizer('simple')", ("sqlite",), GUARD_AND_SESSION),
    Attack("CREATE TEMP TABLE t AS SELECT * FROM bait", ("sqlite",), GUARD_AND_SESSION),
    Attack("CREATE TEMP TRIGGER tr AFTER INSERT ON bait BEGIN SELECT 1; END", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT * FROM read_text('{folder}/secret.txt')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM read_csv('{folder}/secret.txt')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM '{folder}/secret.csv'", ("duckdb",), GUARD_AND_SESSION),
    Attack("FROM '{folder}/secret.csv'", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM glob('{folder}/*')", ("duckdb",), GUARD_AND_SESSION),
    Attack("EXPORT DATABASE '{folder}/export'", ("duckdb",), GUARD_AND_SESSION),
    Attack("INSTALL httpfs", ("duckdb",), GUARD_AND_SESSION),
    Attack("LOAD '{folder}/x.duckdb_extension'", ("duckdb",), GUARD_AND_SESSION),
    Attack("SET enable_external_access = true", ("duckdb",), GUARD_AND_SESSION),
    Attack("PRAGMA memory_limit = '100GB'", ("duckdb",), GUARD_AND_SESSION),
    Attack("CREATE SECRET s (TYPE s3)", ("duckdb",), GUARD_AND_SESSION),
    Attack("CALL pragma_version()", ("duckdb",), GUARD_AND_SESSION),
    Attack("CREATE OR REPLACE MACRO upper(x) AS 'hacked'", ("duckdb",), GUARD_AND_SESSION),
    # Files, programs and other servers, by other ways.
    Attack("SELECT lo_import('{folder}/secret.txt')", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT lo_export(1, '{folder}/out')", ("postgresql",)),
    Attack("SELECT pg_read_binary_file('{folder}/secret.txt')", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT * FROM ROWS FROM (pg_ls_dir('{folder}')) AS x", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT * FROM dblink('dbname=x', 'DELETE FROM bait') AS t(a int)", ("postgresql",)),
    Attack("CREATE FUNCTION f() RETURNS int LANGUAGE C AS '{folder}/x', 'f'", ("postgresql",)),
    Attack("SELECT setval('tickets', 99)", ("postgresql",)),
    Attack("SELECT 1 OPERATOR(public.evil) 1", ("postgresql",)),
    Attack("MERGE INTO bait USING plain ON true WHEN MATCHED THEN DELETE", ("postgresql", "duckdb")),
    Attack("DECLARE c CURSOR WITH HOLD FOR SELECT id FROM bait", ("postgresql",), GUARD_AND_SESSION),
    Attack("PREPARE TRANSACTION 'x'", ("postgresql",)),
    Attack("ALTER SYSTEM SET work_mem = '1GB'", ("postgresql",)),
    Attack("SELECT id FROM bait INTO DUMPFILE '{folder}/out'", ("mysql",), GUARD_AND_ROLE),
    Attack("SELECT 1 UNION (SELECT 2) INTO OUTFILE '{folder}/out'", ("mysql",), GUARD_AND_ROLE),
    Attack("LOAD XML INFILE '{folder}/secret.txt' INTO TABLE bait", ("mysql",)),
    Attack("SELECT /*! LOAD_FILE('{folder}/secret.txt') */", ("mysql",), GUARD_AND_ROLE),
    Attack("SELECT 1 /*M!, LOAD_FILE('{folder}/secret.txt') */", ("mysql",), GUARD_AND_ROLE),
    Attack("EXECUTE IMMEDIATE 'DELETE FROM bait'", ("mysql",)),
    Attack("BEGIN NOT ATOMIC DELETE FROM bait; END", ("mysql",)),
    Attack("SET STATEMENT tx_read_only = 0 FOR DELETE FROM bait", ("mysql",)),
    Attack("INSTALL PLUGIN x SONAME 'x.so'", ("mysql",)),
    Attack("CREATE FUNCTION f RETURNS INTEGER SONAME 'x.so'", ("mysql",)),
    Attack("SELECT writefile('{folder}/out', 'x')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT * FROM fsdir('{folder}')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT edit('x', '{folder}/x')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT 1 IN sqlite_master", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT 1 WHERE 'main' IN pragma_database_list", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT * FROM pragma_journal_mode('delete')", ("sqlite",), GUARD_AND_SESSION),
    Attack("SELECT * FROM dbstat", ("sqlite",), GUARD_AND_SESSION),
    Attack("CREATE VIRTUAL TABLE t USING fts5(x)", ("sqlite",), GUARD_AND_SESSION),
    Attack("INSERT INTO bait VALUES (9, 'x') RETURNING id", ("sqlite", "duckdb", "postgresql")),
    Attack("SELECT * FROM read_blob('{folder}/secret.txt')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM sniff_csv('{folder}/secret.csv')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT EXISTS (FROM '{folder}/secret.csv')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT id FROM plain WHERE id IN (FROM read_csv('{folder}/secret.csv'))", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM query('DELETE FROM bait')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT * FROM 'https://127.0.0.1:1/x.csv'", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT getenv('HOME')", ("duckdb",), GUARD_AND_SESSION),
    Attack("SELECT list_transform([1], x -> getenv('HOME'))", ("duckdb",), GUARD_AND_SESSION),
    Attack("SET VARIABLE x = 1", ("duckdb",), GUARD_AND_SESSION),
    Attack("COPY FROM DATABASE main TO other", ("duckdb",), GUARD_AND_SESSION),
    # What the database says about itself and others.
    Attack("SELECT rolpassword FROM pg_authid", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT query FROM pg_stat_activity", ("postgresql",), GUARD_ALONE, READABLE),
    Attack("SELECT current_setting('data_directory')", ("postgresql",), GUARD_AND_ROLE),
    Attack("SELECT user", ("postgresql",), GUARD_ALONE, READABLE),
    Attack("SELECT 'bait'::regclass", ("postgresql",), GUARD_ALONE, READABLE),
    Attack("SELECT * FROM mysql.user", ("mysql",), GUARD_AND_ROLE),
    Attack("SELECT @@GLOBAL.secure_file_priv", ("mysql",), GUARD_ALONE, READABLE),
    Attack("SELECT id FROM bait PROCEDURE ANALYSE()", ("mysql",), GUARD_ALONE, READABLE),
    Attack("SELECT * FROM duckdb_settings()", ("duckdb",), GUARD_ALONE, READABLE),
    # Holding others up: nothing is written or read, but a session, a lock or a processor is kept busy.
    Attack("SELECT pg_sleep(60)", ("postgresql",), GUARD_AND_SESSION),
    Attack("SELECT pg_advisory_lock(1)", ("postgresql",), GUARD_ALONE, "anybody may take advisory locks"),
    Attack("SELECT pg_terminate_backend(1)", ("postgresql",), GUARD_ALONE, "a role may end its own sessions"),
    Attack("SELECT pg_notify('a', 'b')", ("postgresql",), GUARD_ALONE, "anybody may; it is rolled back"),
    Attack("SELECT SLEEP(60)", ("mysql",), GUARD_AND_SESSION),
    Attack("SELECT BENCHMARK(1000000000000, MD5('a'))", ("mysql",), GUARD_AND_SESSION),
    Attack("SELECT GET_LOCK('a', 60)", ("mysql",), GUARD_ALONE, "anybody may take named locks"),
    Attack("WITH c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c", ("sqlite",),
           GUARD_AND_SESSION),
)  # fmt: skip
