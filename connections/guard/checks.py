"""One SELECT, allow-listed nodes and functions over the whole tree, tables of the catalogue only."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.errors import SqlglotError

from connections.allowed import AGGREGATES, FUNCTIONS, PLAIN_TYPES, STATEMENT_NODES, TYPE_WORDS, WINDOWS
from connections.catalogue import Catalogue, DialectName, Table
from connections.errors import StatementNotAllowedError
from connections.guard import folding
from connections.guard.parsing import Parsed, UnreadableSqlError, parse, sqlglot_dialect
from connections.guard.sizes import check_sizes


def check(sql: str, dialect: DialectName, catalogue: Catalogue, *, temp_tables: Iterable[str] = ()) -> None:
    """Refuse everything but one SELECT of allow-listed parts over the catalogue's tables (and `temp_tables`).

    Raises StatementNotAllowedError, worded for whoever wrote the statement.
    """
    try:
        parsed = parse(sql, dialect)
    except UnreadableSqlError as error:
        raise StatementNotAllowedError(f"The statement was not run: {error}.") from None
    if any(token.comments for token in parsed.tokens):
        raise StatementNotAllowedError("The statement was not run: it holds a comment, which is never sent.")
    check_tree(one_select(parsed), dialect, catalogue, temp_tables=temp_tables)


def one_select(parsed: Parsed) -> exp.Expr:
    """The only statement of `parsed`, if it is a SELECT or a set operation of SELECTs."""
    count = len(parsed.statements)
    if count != 1:
        raise StatementNotAllowedError(f"Exactly one SELECT is allowed; the text holds {count} statements.")
    root = parsed.statements[0]
    if not isinstance(root.unnest() if isinstance(root, exp.Subquery) else root, exp.Query):
        raise StatementNotAllowedError(f"Only SELECT is allowed, not {_kind(root)}.")
    return root


def check_tree(root: exp.Expr, dialect: DialectName, catalogue: Catalogue, *, temp_tables: Iterable[str] = ()) -> None:
    """`check` for a tree that `parse` made."""
    temporary = frozenset(temp_tables)
    functions = FUNCTIONS[dialect] | AGGREGATES[dialect] | WINDOWS
    for node in root.walk():
        name = type(node).__name__
        if name not in STATEMENT_NODES:
            raise StatementNotAllowedError(f"{_kind(node)} is not allowed in a statement: {_snippet(node, dialect)}.")
        if isinstance(node, exp.Anonymous):
            _check_function(node, functions)
        elif isinstance(node, exp.Table):
            _check_table(node, dialect, catalogue, temporary)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise StatementNotAllowedError("WITH RECURSIVE is not allowed: it can run without end.")
        elif isinstance(node, exp.DataType):
            check_type(node)
        elif isinstance(node, exp.In | exp.Operator | exp.Column):
            _check_hidden_reading(node, dialect)
    check_sizes(root, dialect)


# Words without brackets that PostgreSQL and MariaDB read as a call; a column of that name is quoted.
_SESSION_WORDS = {"postgresql": {"user", "current_role", "system_user"}, "mysql": {"current_role"}}


def _check_hidden_reading(node: exp.In | exp.Operator | exp.Column, dialect: DialectName) -> None:
    """What reads a table, calls a function or looks at the session without looking like it."""
    if isinstance(node, exp.In) and dialect == "sqlite" and node.args.get("field") is not None:
        raise StatementNotAllowedError("Write IN (SELECT column FROM table), not IN table.")
    if isinstance(node, exp.Operator):
        schema = str(node.args.get("operator") or "").rpartition(".")[0]
        if schema not in ("", "pg_catalog"):
            raise StatementNotAllowedError(f"An operator of the schema {schema} is not allowed.")
    if isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted"):
        word = node.name.lower()
        if word in _SESSION_WORDS.get(dialect, ()):
            raise StatementNotAllowedError(f'{word} is not allowed; a column of that name is written "{word}".')


def check_type(node: exp.DataType) -> None:
    """Refuse a cast to anything but plain value types. Raises StatementNotAllowedError."""
    if isinstance(node.this, exp.DataType.Type) and node.this != exp.DataType.Type.USERDEFINED:
        if node.this.value.lower() not in PLAIN_TYPES:
            raise StatementNotAllowedError(f"A cast to the type {node.this.value} is not allowed.")
        return
    if node.this == exp.DataType.Type.USERDEFINED:
        words = "".join(c if c.isalnum() or c == "_" else " " for c in str(node.args.get("kind") or "")).split()
        strange = [word for word in words if not word.isdigit() and word.lower() not in TYPE_WORDS]
        if strange or not words:
            raise StatementNotAllowedError(f"A cast to the type {' '.join(words) or '(none)'} is not allowed.")


def _check_function(node: exp.Anonymous, functions: frozenset[str]) -> None:
    if not isinstance(node.this, str) or isinstance(node.parent, exp.Dot):
        raise StatementNotAllowedError(f"A quoted or qualified function name is not allowed: {node.name}.")
    if node.name.lower() not in functions:
        raise StatementNotAllowedError(f"The function {node.name} is not allowed.")


def _check_table(node: exp.Table, dialect: DialectName, catalogue: Catalogue, temporary: frozenset[str]) -> None:
    if not isinstance(node.this, exp.Identifier) or node.args.get("catalog"):
        raise StatementNotAllowedError(f"Only tables of the catalogue can be read, not {_snippet(node, dialect)}.")
    name, schema = folding.written(node.this, dialect), folding.written(node.args.get("db"), dialect)
    if not schema and (_names_cte(node, dialect) or name in {folding.stored(one, dialect) for one in temporary}):
        return
    # PostgreSQL looks into pg_catalog before any other schema: an unqualified pg_… name never means a user's table.
    system = dialect == "postgresql" and not schema and name.startswith("pg_")
    if system or not any(_is_named(table, schema, name, dialect) for table in _candidates(node, name, catalogue)):
        told = f"{node.db}.{node.name}" if schema else node.name
        raise StatementNotAllowedError(f"There is no table {told} in the catalogue.")


def _candidates(node: exp.Table, name: str, catalogue: Catalogue) -> tuple[Table, ...]:
    """The catalogue's tables that have the name in some letter case."""
    spelled = name if catalogue.dialect == "postgresql" else node.name
    return catalogue.candidates(f"{node.db}.{spelled}") if node.db else catalogue.find(spelled)


def _is_named(table: Table, schema: str, name: str, dialect: DialectName) -> bool:
    in_schema = not schema or folding.stored(table.schema or "", dialect) == schema
    return in_schema and folding.stored(table.name, dialect) == name


def _names_cte(node: exp.Table, dialect: DialectName) -> bool:
    """Whether `node` names a CTE that is in scope: one of an enclosing query, defined before the one it stands in."""
    inside: exp.Expr = node
    while (parent := inside.parent) is not None:
        clause = parent if isinstance(parent, exp.With) else parent.args.get("with_")
        if isinstance(clause, exp.With) and inside is not clause:
            for cte in clause.expressions:
                if cte is inside:
                    break
                if folding.names_cte(cte.args["alias"].this, node.this, dialect):
                    return True
        inside = parent
    return False


def _kind(node: exp.Expr) -> str:
    if isinstance(node, exp.Command):
        return f"{node.name.upper()} (a command)"
    return type(node).__name__.upper() if isinstance(node, exp.DDL | exp.DML) else type(node).__name__


def _snippet(node: exp.Expr, dialect: DialectName) -> str:
    try:
        text = node.sql(dialect=sqlglot_dialect(dialect), comments=False)
    except (SqlglotError, RecursionError, ValueError):
        text = type(node).__name__
    return text if len(text) <= 80 else text[:77] + "…"
