"""Reading SQL out of a reply: the first fenced block that holds a query, else the text from SELECT or WITH on, else the
statement that stands behind a label, in inline code or in JSON.

What is returned is as much as might belong to the statement, never less: a second statement must reach the guard,
which refuses it, instead of being cut away here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.preamble import split_thought, without_special_tokens
from agents.llm.parsing.reply import refuse_cut

_FENCED = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
# "With" begins a sentence as often as a statement: only a name and AS tell that it names a query.
_SELECT = (
    r"""(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?(?:\w+|"[^"\n]+"|`[^`\n]+`|\[[^\]\n]+\])\s*(?:\([^)]*\)\s*)?"""
    r"""AS(?:\s|--[^\n]*\n)*(?:(?:NOT\s+)?MATERIALIZED\s*)?\()"""
)
_QUERY = re.compile(rf"\b{_SELECT}", re.IGNORECASE)
_BEGINS = re.compile(rf"(?:[\s;(]|--[^\n]*\n|/\*.*?\*/|SQL\w*\s*:)*+{_SELECT}", re.IGNORECASE | re.DOTALL)
_STATEMENT = re.compile(rf"^[ \t]*(?:SQL[a-z]*[ \t]*:[ \t]*)?\(*[ \t]*(?P<sql>\(*{_SELECT}.*)", re.I | re.S | re.M)
_IN_CODE = re.compile(rf"`(?P<sql>[ \t]*\(*{_SELECT}(?:[^\n]|\n(?![ \t]*\n))*)`", re.IGNORECASE)
_BEHIND_LABEL = re.compile(rf"^[^\n;`]{{0,200}}:[*_ \t]*(?P<sql>\(*{_SELECT}.*)", re.I | re.S | re.M)
_SQL_KEYS = ("sql", "query", "statement", "sql_query")
_AFTER = re.compile(r";[ \t]*\n|\n[ \t]*\n")
# A paragraph that begins with one of these still belongs to the statement, or is another one.
_SQL_WORD = re.compile(
    r"(?:SELECT|FROM|WHERE|GROUP|ORDER|HAVING|LIMIT|OFFSET|UNION|INTERSECT|EXCEPT|JOIN|LEFT|RIGHT|INNER|CROSS|FULL"
    r"|NATURAL|ON|AND|OR|WITH|AS|CASE|WHEN|THEN|ELSE|END|WINDOW|FETCH|VALUES|INSERT|UPDATE|DELETE|DROP|CREATE|ALTER"
    r"|TRUNCATE|REPLACE|MERGE|GRANT|REVOKE|PRAGMA|ATTACH|DETACH|VACUUM|COPY|CALL|EXEC|EXECUTE|SET|BEGIN|COMMIT"
    r"|EXPLAIN)\b|[^A-Za-z]",
    re.IGNORECASE,
)
_LEADING = re.compile(r"(?:[\s;]|--[^\n]*\n)*")


def read_sql(text: str, *, finish_reason: str = "stop") -> str:
    """The query in `text`, without a closing semicolon. Raises MalformedReplyError with words for the model."""
    refuse_cut(finish_reason)
    preamble = split_thought(without_special_tokens(text))
    if preamble.open:
        raise MalformedReplyError("Your <think> never ends. Reply with one SELECT in a ```sql fence.")
    sql = next(iter(_fenced(preamble.rest)), "") or _quoted_in_json(preamble.rest) or _bare(preamble.rest)
    if not sql:
        raise MalformedReplyError("Your reply holds no SELECT. Reply with one SELECT in a ```sql fence.")
    return sql


def read_queries(text: str, *, finish_reason: str = "stop") -> list[str]:
    """Every query in `text` that stands in a fence of its own, each once; without fences, the only one. Raises
    MalformedReplyError with words for the model."""
    first = read_sql(text, finish_reason=finish_reason)
    fenced = _fenced(split_thought(without_special_tokens(text)).rest)
    return list(dict.fromkeys(fenced)) or [first]


def _fenced(text: str) -> list[str]:
    """The queries that stand in fences, and other statements that hold one, for the guard to refuse; prose that only
    holds the word counts where nothing else does."""
    blocks = [match.group(1) for match in _FENCED.finditer(text)]
    queries = [_quoted_in_json(block) or _trimmed(block) for block in blocks if _QUERY.search(block)]
    return [sql for sql in queries if _BEGINS.match(sql) or _SQL_WORD.match(sql)] or queries


def _quoted_in_json(text: str) -> str:
    """The statement of `{"sql": "…"}`, or of a call with such an argument. Of several, all: the guard refuses them."""
    if not text.lstrip().startswith(("{", "[")):
        return ""
    try:
        value, _ = load(text.strip())
    except UnreadableJSONError:
        return ""
    return ";\n".join(dict.fromkeys(_statements(value)))


def _statements(value: Any) -> Iterator[str]:
    """The queries that stand under a key for SQL, at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _SQL_KEYS and isinstance(item, str) and _QUERY.search(item):
                yield _trimmed(item)
            else:
                yield from _statements(item)
    elif isinstance(value, list):
        for item in value:
            yield from _statements(item)


def _bare(text: str) -> str:
    """The statement that begins a line; else the one in inline code, or behind a label such as "Answer:"."""
    if statement := _STATEMENT.search(text):
        return _without_prose(statement["sql"])
    if code := _IN_CODE.search(text):
        return _trimmed(code["sql"])
    labelled = _BEHIND_LABEL.search(text)
    return _without_prose(labelled["sql"]) if labelled else ""


def _without_prose(sql: str) -> str:
    for gap in _AFTER.finditer(sql):
        if not _continues(sql[gap.end() :]):
            return _trimmed(sql[: gap.start()])
    return _trimmed(sql)


def _continues(rest: str) -> bool:
    """Whether what follows a gap is more SQL, not prose."""
    leading = _LEADING.match(rest)
    return _SQL_WORD.match(rest, leading.end() if leading else 0) is not None


def _trimmed(sql: str) -> str:
    return sql.strip().rstrip(";").rstrip()
