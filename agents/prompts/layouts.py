"""How one table is written down for a model: briefly for the DSL, as CREATE TABLE for SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from connections.catalogue import Catalogue, Column, Table

Layout = Callable[[Table, Catalogue, Mapping[str, Sequence[str]]], str]

_LONGEST_EXAMPLE = 40
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
_PLAIN_NAME_ANY_CASE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
# Words that cannot stand unquoted as a name in at least one of the dialects.
_RESERVED = frozenset(
    [
        "all", "and", "as", "between", "by", "case", "check", "column", "cross", "date", "default", "desc", "distinct",
        "end", "exists", "from", "full", "group", "groups", "having", "in", "index", "inner", "is", "join", "key",
        "left", "like", "limit", "natural", "not", "null", "offset", "on", "or", "order", "outer", "primary", "rank",
        "references", "right", "row", "rows", "select", "set", "table", "then", "to", "union", "unique", "user",
        "using", "values", "when", "where", "window", "with",
    ]
)  # fmt: skip


def brief(table: Table, catalogue: Catalogue, examples: Mapping[str, Sequence[str]]) -> str:
    """One line a column, names as they are used in calls:

    orders (view): one row an order
      id INTEGER, key
      customer_id INTEGER -> customers.id
      Order Date DATE: when it was placed; e.g. '2024-01-31'
    """
    kind = "" if table.kind == "table" else f" ({table.kind})"
    lines = [_with_remark(f"{_shown(table, catalogue)}{kind}", _remarks(table, catalogue))]
    for column in table.columns:
        line = f"  {column.name} {_short_type(column.type)}".rstrip()
        if (column.name,) == table.primary_key:
            line += ", key"
        if target := _single_target(table, column.name):
            line += f" -> {target}"
        lines.append(_with_remark(line, [*_column_remarks(table, column, catalogue), *_example(column, examples)]))
    lines += [f"  key ({', '.join(table.primary_key)})"] if len(table.primary_key) > 1 else []
    lines += [f"  unique ({', '.join(key)})" for key in table.unique if key != table.primary_key]
    for key in table.foreign_keys:
        if len(key.columns) > 1:
            lines.append(f"  ({', '.join(key.columns)}) -> {key.target_table} ({', '.join(key.target_columns)})")
    return "\n".join(lines)


def create_table(table: Table, catalogue: Catalogue, examples: Mapping[str, Sequence[str]]) -> str:
    """A CREATE TABLE statement, names quoted where SQL needs it, remarks and examples as comments."""
    entries: list[tuple[str, str]] = []
    for column in table.columns:
        name = sql_name(column.name, catalogue)
        key = " PRIMARY KEY" if (column.name,) == table.primary_key else ""
        example = [] if _is_numeric_key(table, column) else _example(column, examples)
        remark = "; ".join([*_column_remarks(table, column, catalogue), *example])
        entries.append((f"{name} {_short_type(column.type)}{key}".replace("  ", " ").rstrip(), remark))
    if len(table.primary_key) > 1:
        entries.append((f"PRIMARY KEY ({_sql_names(table.primary_key, catalogue)})", ""))
    for foreign in table.foreign_keys:
        target = f"{sql_name(foreign.target_table, catalogue)} ({_sql_names(foreign.target_columns, catalogue)})"
        entries.append((f"FOREIGN KEY ({_sql_names(foreign.columns, catalogue)}) REFERENCES {target}", ""))
    last = len(entries) - 1
    lines = [_commented(f"  {text}{'' if i == last else ','}", remark) for i, (text, remark) in enumerate(entries)]
    remark = "; ".join([*([table.kind] if table.kind != "table" else []), *_remarks(table, catalogue)])
    return "\n".join([_commented(f"CREATE TABLE {_sql_table(table, catalogue)} (", remark), *lines, ");"])


def sql_name(name: str, catalogue: Catalogue) -> str:
    """`name` as SQL of this dialect needs it: quoted unless it is plain."""
    plain = _PLAIN_NAME if catalogue.dialect == "postgresql" else _PLAIN_NAME_ANY_CASE
    if plain.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    quote = "`" if catalogue.dialect == "mysql" else '"'
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"


def _sql_names(names: Sequence[str], catalogue: Catalogue) -> str:
    return ", ".join(sql_name(name, catalogue) for name in names)


def _sql_table(table: Table, catalogue: Catalogue) -> str:
    name = sql_name(table.name, catalogue)
    return name if _is_default(table, catalogue) else f"{sql_name(table.schema or '', catalogue)}.{name}"


def _shown(table: Table, catalogue: Catalogue) -> str:
    return table.name if _is_default(table, catalogue) else table.qualified


def _is_default(table: Table, catalogue: Catalogue) -> bool:
    return table.schema is None or table.schema == catalogue.default_schema


def _single_target(table: Table, column: str) -> str:
    found = (key for key in table.foreign_keys if key.columns == (column,))
    return next((f"{key.target_table}.{key.target_columns[0]}" for key in found), "")


def _is_numeric_key(table: Table, column: Column) -> bool:
    """Keys without meaning: nobody asks for them, so examples would only cost tokens."""
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    return column.name in keys and column.semantic in ("integer", "decimal", "float", "uuid")


def _short_type(raw: str) -> str:
    """The type as declared, without a collation or a length that tells the model nothing."""
    return re.sub(r"\s+COLLATE\s+\S+", "", raw.strip(), flags=re.IGNORECASE)[:60]


def _remarks(table: Table, catalogue: Catalogue) -> list[str]:
    notes = catalogue.notes
    note = notes.get(table.qualified) or notes.get(table.name, "")
    return [_one_line(text) for text in dict.fromkeys((table.comment, note)) if text]


def _column_remarks(table: Table, column: Column, catalogue: Catalogue) -> list[str]:
    notes = catalogue.notes
    note = notes.get(f"{table.qualified}.{column.name}") or notes.get(f"{table.name}.{column.name}", "")
    return [_one_line(text) for text in dict.fromkeys((column.comment, note)) if text]


def _example(column: Column, examples: Mapping[str, Sequence[str]]) -> list[str]:
    shown = [_cell(value) for value in examples.get(column.name, ())]
    return [f"e.g. {', '.join(shown)}"] if shown else []


def _cell(literal: str) -> str:
    text = _one_line(literal)
    return text if len(text) <= _LONGEST_EXAMPLE else f"{text[: _LONGEST_EXAMPLE - 1]}…"


def _with_remark(line: str, remarks: Sequence[str]) -> str:
    return f"{line}: {'; '.join(remarks)}" if remarks else line


def _commented(line: str, remark: str) -> str:
    return f"{line} -- {remark}" if remark else line


def _one_line(text: str) -> str:
    return " ".join(text.split())
