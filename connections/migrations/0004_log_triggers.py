"""The database itself refuses to change the logs. On SQLite a later change of these tables must make the triggers anew:
Django copies the table, and triggers do not come along; tests/server/test_audit.py notices."""

from django.db import migrations

LOGS = ("connections_auditentry", "connections_querylogentry")
REFUSAL = "a log is only added to"

POSTGRESQL = f"""
CREATE FUNCTION connections_log_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.at < (SELECT max(before) FROM connections_logcutoff) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION '{REFUSAL}';
END $$;
"""
POSTGRESQL_LOG = """
CREATE TRIGGER {log}_rows BEFORE UPDATE OR DELETE ON {log} FOR EACH ROW EXECUTE FUNCTION connections_log_refuses();
CREATE TRIGGER {log}_all BEFORE TRUNCATE ON {log} FOR EACH STATEMENT EXECUTE FUNCTION connections_log_refuses();
"""
SQLITE_LOG = (
    "CREATE TRIGGER {log}_update BEFORE UPDATE ON {log} BEGIN SELECT RAISE(ABORT, '" + REFUSAL + "'); END",
    "CREATE TRIGGER {log}_delete BEFORE DELETE ON {log} "
    "WHEN OLD.at >= COALESCE((SELECT max(before) FROM connections_logcutoff), '') "
    "BEGIN SELECT RAISE(ABORT, '" + REFUSAL + "'); END",
)


def make(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)
    for log in LOGS:
        for statement in [POSTGRESQL_LOG] if vendor == "postgresql" else SQLITE_LOG:
            schema_editor.execute(statement.format(log=log))


def drop(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for log in LOGS:
        for kind in ("rows", "all") if vendor == "postgresql" else ("update", "delete"):
            on = f" ON {log}" if vendor == "postgresql" else ""
            schema_editor.execute(f"DROP TRIGGER {log}_{kind}{on}")
    if vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION connections_log_refuses()")


class Migration(migrations.Migration):

    dependencies = [("connections", "0003_append_only_logs")]

    operations = [migrations.RunPython(make, drop)]
