from django.db import migrations

POSTGRESQL = (
    "CREATE INDEX IF NOT EXISTS agents_search_words ON agents_searchentry USING gin (to_tsvector('simple', words))",
)
SQLITE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS agents_search_fts USING fts5("
    "words, content='agents_searchentry', content_rowid='id', tokenize='unicode61', prefix='2 3')",
    "CREATE TRIGGER IF NOT EXISTS agents_search_added AFTER INSERT ON agents_searchentry BEGIN "
    "INSERT INTO agents_search_fts (rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER IF NOT EXISTS agents_search_gone AFTER DELETE ON agents_searchentry BEGIN "
    "INSERT INTO agents_search_fts (agents_search_fts, rowid, words) VALUES ('delete', old.id, old.words); END",
    "CREATE TRIGGER IF NOT EXISTS agents_search_changed AFTER UPDATE OF words ON agents_searchentry BEGIN "
    "INSERT INTO agents_search_fts (agents_search_fts, rowid, words) VALUES ('delete', old.id, old.words); "
    "INSERT INTO agents_search_fts (rowid, words) VALUES (new.id, new.words); END",
    "INSERT INTO agents_search_fts (agents_search_fts) VALUES ('rebuild')",
)
NO_POSTGRESQL = ("DROP INDEX IF EXISTS agents_search_words",)
NO_SQLITE = (
    "DROP TRIGGER IF EXISTS agents_search_added",
    "DROP TRIGGER IF EXISTS agents_search_gone",
    "DROP TRIGGER IF EXISTS agents_search_changed",
    "DROP TABLE IF EXISTS agents_search_fts",
)


def make_index(apps, schema_editor):
    """The database's own index of words; other vendors have none."""
    for statement in {"postgresql": POSTGRESQL, "sqlite": SQLITE}.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(statement)


def drop_index(apps, schema_editor):
    for statement in {"postgresql": NO_POSTGRESQL, "sqlite": NO_SQLITE}.get(schema_editor.connection.vendor, ()):
        schema_editor.execute(statement)


class Migration(migrations.Migration):

    dependencies = [("agents", "0004_search")]
    operations = [migrations.RunPython(make_index, drop_index)]
