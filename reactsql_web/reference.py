"""`make docs` writes the generated parts of the documentation between their marks; a test keeps them current."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import cleandoc
from pathlib import Path
from textwrap import fill, indent

import agents.errors
from agents.dsl.date_buckets import DATE_BUCKETS
from agents.dsl.operations import OPERATIONS, Operation, ProbeOperation
from agents.errors import ModelCorrectableError
from connections.allowed import AGGREGATES, FUNCTIONS
from connections.drivers import mysql_role, postgresql_role
from reactsql_web.environment import SETTINGS

ROOT = Path(__file__).resolve().parent.parent


def parts() -> dict[tuple[str, str], str]:
    """What is generated: file and mark, to text."""
    return {
        ("README.md", "settings"): settings_table(),
        ("docs/language.md", "operations"): operations(),
        ("docs/language.md", "functions"): functions(),
        ("docs/language.md", "buckets"): buckets(),
        ("docs/language.md", "errors"): errors(),
        ("docs/security.md", "roles"): roles(),
    }


def settings_table() -> str:
    lines = ["| variable | default | what it does |", "|---|---|---|"]
    for setting in SETTINGS:
        default = f"`{setting.default}`" if setting.default else ""
        lines.append(f"| `{setting.name}` | {default} | {setting.help.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def operations() -> str:
    """Every operation with its signature and its own words."""
    probes = [one for one in OPERATIONS if issubclass(one, ProbeOperation)]
    extensions = [one for one in OPERATIONS if one.extension]
    relational = [one for one in OPERATIONS if one not in probes and one not in extensions]
    return "\n\n".join(
        [*_group("Building relations", relational), *_group("Probing", probes), *_group("Extensions", extensions)]
    )


def _group(title: str, found: Iterable[type[Operation]]) -> list[str]:
    return [f"### {title}", *(f"**`{one.signature()}`**  \n{cleandoc(one.__doc__ or '')}" for one in found)]


def functions() -> str:
    return "\n\n".join(
        f"**{dialect}**\n\n{_names(allowed)}\n\nAggregates: {_names(AGGREGATES[dialect])}"
        for dialect, allowed in FUNCTIONS.items()
    )


def _names(found: Iterable[str]) -> str:
    return fill(", ".join(f"`{name}`" for name in sorted(found)), width=120, break_on_hyphens=False)


def buckets() -> str:
    """A table a dialect: each date bucket with its expression."""
    return "\n\n".join(
        "\n".join([f"**{dialect}**\n", "| bucket | expression |", "|---|---|", *map(_bucket, found.items())])
        for dialect, found in DATE_BUCKETS.items()
    )


def _bucket(line: tuple[str, str]) -> str:
    name, expression = line
    return f"| {name} | `{expression.replace('{x}', 'x').replace('|', chr(92) + '|')}` |"


def errors() -> str:
    kinds = [kind for kind in vars(agents.errors).values() if isinstance(kind, type)]
    return _names(kind.__name__ for kind in kinds if ModelCorrectableError in kind.__bases__)


def roles() -> str:
    """The SQL for roles that can only read, as the page that tests a connection writes it."""
    asked = "shop", (), "reactsql_reader", "choose a long password"
    written = {
        "PostgreSQL": postgresql_role.select_only_role(*asked), "MySQL and MariaDB": mysql_role.select_only_role(*asked)
    }  # fmt: skip
    return "\n\n".join(f"**{database}**\n\n{indent(sql, '    ')}" for database, sql in written.items())


def replaced(text: str, mark: str, part: str) -> str:
    """`text` with `part` between `<!-- mark -->` and `<!-- /mark -->`."""
    start, end = f"<!-- {mark} -->\n", f"\n<!-- /{mark} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no {start.strip()} … {end.strip()} to write between")
    return before + start + part + end + after


def write() -> None:
    for (name, mark), part in parts().items():
        file = ROOT / name
        file.write_text(replaced(file.read_text(encoding="utf-8"), mark, part), encoding="utf-8")


if __name__ == "__main__":
    write()
