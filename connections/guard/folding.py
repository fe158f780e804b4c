"""Names as the databases compare them: only ASCII letters lose their case. `str.casefold` would take `ſecret` for
`secret`, and what passes under one name would be read under the other."""

from __future__ import annotations

import string

from sqlglot import exp

from connections.catalogue import DialectName

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def written(name: exp.Identifier | None, dialect: DialectName) -> str:
    """What `name` in a statement is compared as; "" for none."""
    if name is None:
        return ""
    exact = dialect == "postgresql" and name.args.get("quoted")
    return str(name.name) if exact else name.name.translate(_LOWER)


def stored(name: str, dialect: DialectName) -> str:
    """What a table's or a schema's own name is compared as."""
    return name if dialect == "postgresql" else name.translate(_LOWER)


def names_cte(cte: exp.Identifier, table: exp.Identifier, dialect: DialectName) -> bool:
    """Whether `table` surely means `cte`. It depends on the server whether MySQL tells letter cases apart; where it
    does, the other spelling is a table."""
    if dialect == "mysql":
        return bool(cte.name == table.name)
    return written(cte, dialect) == written(table, dialect)
