"""What a PostgreSQL role could do beyond reading, and the SQL for one that cannot."""

from __future__ import annotations

from typing import Any

import psycopg

from connections.contracts import Examination

_ROLE = """
SELECT current_user::text, current_setting('server_version'),
       (SELECT t.version FROM pg_stat_ssl t WHERE t.pid = pg_backend_pid()), r.rolsuper, r.rolcreaterole, r.rolcreatedb,
       r.rolreplication, r.rolbypassrls,
       EXISTS (SELECT 1 FROM pg_proc p WHERE p.proname LIKE 'dblink%' AND has_function_privilege(p.oid, 'EXECUTE')),
       ARRAY(SELECT g.rolname::text FROM pg_roles g
             WHERE g.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
                                 'pg_write_all_data', 'pg_signal_backend')
               AND NOT r.rolsuper AND pg_has_role(g.oid, 'MEMBER')),
       (SELECT COUNT(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'f', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
          AND n.nspname NOT LIKE 'pg\\_%' AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
       ARRAY(SELECT n.nspname::text FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%'
             AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'CREATE') ORDER BY 1)
FROM pg_roles r WHERE r.rolname = current_user
"""


def examine(connection: psycopg.Connection[Any]) -> Examination:
    """Look at the role, then try to write inside a read-only transaction."""
    row: Any = connection.execute(_ROLE).fetchone()
    user, version, tls, *rights = row
    return Examination(version, tls or "", _write_refusal(connection), tuple(_warnings(user, *rights)))


def _write_refusal(connection: psycopg.Connection[Any]) -> str | None:
    connection.execute("BEGIN READ ONLY")
    try:
        connection.execute("CREATE TABLE reactsql_write_test (n integer)")
    except psycopg.Error as error:
        return error.diag.message_primary or str(error)
    finally:
        connection.execute("ROLLBACK")
    return None


def _warnings(user: str, *rights: Any) -> list[str]:
    superuser, create_role, create_db, replication, bypass, dblink, groups, writable, schemas = rights
    if superuser:
        return [f"{user} is a superuser: even in a read-only transaction it can read files and run programs."]
    found = []
    powers = {"create roles": create_role, "create databases": create_db, "replicate": replication,
              "pass by row-level security": bypass}  # fmt: skip
    if held := [power for power, has in powers.items() if has]:
        found.append(f"{user} can {', '.join(held)}.")
    if groups:
        found.append(f"{user} is a member of {', '.join(groups)}.")
    if dblink:
        found.append(f"{user} can call dblink, which opens connections of its own that are not read-only.")
    if writable:
        found.append(f"{user} may change {writable:,} tables; only the read-only transaction stops it.")
    if schemas:
        found.append(f"{user} may create tables in {', '.join(schemas)}.")
    return found


def select_only_role(database: str, schemas: tuple[str, ...], role: str, password: str) -> str:
    """SQL that an administrator runs once: a role that can read `schemas` of `database` and nothing else."""
    name = _quoted(role)
    lines = [
        f"CREATE ROLE {name} LOGIN PASSWORD {_literal(password)} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;",
        f"GRANT CONNECT ON DATABASE {_quoted(database)} TO {name};",
        f"ALTER ROLE {name} SET default_transaction_read_only = on;",
    ]
    for schema in schemas or ("public",):
        lines += [
            f"GRANT USAGE ON SCHEMA {_quoted(schema)} TO {name};",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {_quoted(schema)} TO {name};",
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {_quoted(schema)} GRANT SELECT ON TABLES TO {name};",
        ]
    return "\n".join(lines)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
