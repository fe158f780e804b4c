"""What a model is told of a database, within a token budget.

Everything in full where it fits. Else look-alike tables are folded into one, the rest are ranked by the question, and
the tail is listed by name only. Tables stand in the catalogue's order, so that equal choices give equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agents.prompts.layouts import Layout
from agents.prompts.ranking import rank
from connections.catalogue import Catalogue, Table

# A few stored values of each column of a table, as SQL would write them; the caller decides what may be shown.
ExampleValues = Callable[[Table], Mapping[str, Sequence[str]]]

_LOOK_ALIKE = 3  # from so many tables on, a family is shown by one member
_NAMES_SHARE = 0.35  # of the budget at most, for the names of tables that are not shown
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class SchemaText:
    """`shown` tables stand there in full, `folded` by name only or behind a look-alike; those that are neither are
    counted in it. `tokens` is an estimate."""

    text: str
    shown: tuple[str, ...]
    folded: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Block:
    """The text of a table, and the look-alikes that it stands for."""

    table: Table
    alike: tuple[Table, ...]
    text: str


def tokens_in(text: str) -> int:
    """A safe estimate without a tokenizer: identifiers, digits and signs take about 2.3 characters a token, letters
    of other scripts one each."""
    ascii_length = len(text.encode("ascii", "ignore"))
    return ascii_length * 3 // 7 + (len(text) - ascii_length) + 1


def schema_text(
    catalogue: Catalogue,
    question: str,
    *,
    budget: int,
    layout: Layout,
    examples: ExampleValues | None = None,
    known_values: Mapping[str, Sequence[str]] | None = None,
) -> SchemaText:
    """The tables of `catalogue` in `layout`, within `budget` tokens. `known_values` (by qualified table name) only
    help to rank; `examples` are asked for the tables that are shown, and for no others."""
    head = catalogue.notes.get("", "")
    whole = _everything(catalogue, budget - tokens_in(head), layout, examples)
    if whole is not None:
        text = "\n\n".join(filter(None, [head, *(block.text for block in whole)]))
        return SchemaText(text, tuple(block.table.qualified for block in whole), (), tokens_in(text))
    families = _families(catalogue)
    ranked = [table for table in rank(catalogue, question, known_values) if table.qualified in families]
    room = budget - tokens_in(head)
    names_room = min(int(room * _NAMES_SHARE), tokens_in(", ".join(t.qualified for t in catalogue.tables)) + 60)
    shown = _fitting(ranked, families, room - names_room, layout, examples, catalogue)
    return _assembled(catalogue, head, shown, ranked, families, names_room)


def _everything(catalogue: Catalogue, room: int, layout: Layout, examples: ExampleValues | None) -> list[_Block] | None:
    """All tables in full, or None as soon as they do not fit."""
    blocks: list[_Block] = []
    for table in catalogue.tables:
        block = _Block(table, (), layout(table, catalogue, {}))
        room -= tokens_in(block.text)
        if room < 0:
            return None
        blocks.append(block)
    if examples is None:
        return blocks
    told = [_Block(block.table, (), layout(block.table, catalogue, examples(block.table))) for block in blocks]
    grown = sum(tokens_in(block.text) for block in told) - sum(tokens_in(block.text) for block in blocks)
    return told if grown <= room else None


def _families(catalogue: Catalogue) -> Mapping[str, tuple[Table, ...]]:
    """Each table that stands for itself or for its look-alikes, with those: same name but for digits, same columns."""
    alike: dict[object, list[Table]] = {}
    for table in catalogue.tables:
        columns = tuple((column.name, column.type) for column in table.columns)
        alike.setdefault((table.schema, _DIGITS.sub("#", table.name), columns), []).append(table)
    families: dict[str, tuple[Table, ...]] = {}
    for members in alike.values():
        if len(members) >= _LOOK_ALIKE:
            families[members[-1].qualified] = tuple(members[:-1])
        else:
            families.update({table.qualified: () for table in members})
    return families


def _fitting(
    ranked: Sequence[Table],
    families: Mapping[str, tuple[Table, ...]],
    room: int,
    layout: Layout,
    examples: ExampleValues | None,
    catalogue: Catalogue,
) -> dict[str, _Block]:
    """The best tables in full for as long as there is room; one that is too large does not keep out the next."""
    shown: dict[str, _Block] = {}
    misses = 0
    for table in ranked:
        if misses >= 5 or room <= 0:
            break
        text = layout(table, catalogue, examples(table) if examples else {})
        alike = families[table.qualified]
        if alike:
            text += f"\n-- the same columns: {_listed([t.name for t in alike])}"
        if tokens_in(text) <= room:
            shown[table.qualified] = _Block(table, alike, text)
            room -= tokens_in(text)
        else:
            misses += 1
    return shown


def _assembled(
    catalogue: Catalogue,
    head: str,
    shown: Mapping[str, _Block],
    ranked: Sequence[Table],
    families: Mapping[str, tuple[Table, ...]],
    names_room: int,
) -> SchemaText:
    blocks = [shown[table.qualified].text for table in catalogue.tables if table.qualified in shown]
    rest = [table for table in ranked if table.qualified not in shown]
    names = _names(rest, families, names_room)
    text = "\n\n".join(filter(None, [head, *blocks, _tail(names, len(rest))]))
    told = [*shown, *(table.qualified for table in rest[: len(names)])]
    known = {*told, *(alike.qualified for name in told for alike in families[name])}
    in_full = [table.qualified for table in catalogue.tables if table.qualified in shown]
    folded = [t.qualified for t in catalogue.tables if t.qualified in known and t.qualified not in shown]
    return SchemaText(text, tuple(in_full), tuple(folded), tokens_in(text))


def _names(tables: Sequence[Table], families: Mapping[str, tuple[Table, ...]], room: int) -> list[str]:
    """The names of the first of `tables`, for as long as there is room."""
    names: list[str] = []
    for table in tables:
        alike = families[table.qualified]
        name = (
            f"{table.qualified} (and {len(alike)} alike: {_listed([t.name for t in alike], 2)})"
            if alike
            else table.qualified
        )
        room -= tokens_in(name) + 1
        if room < 40:
            break
        names.append(name)
    return names


def _tail(names: Sequence[str], tables: int) -> str:
    """The line that names tables, and counts those of `tables` that it does not name."""
    if not tables:
        return ""
    left = tables - len(names)
    more = f", and {left:,} more whose names are not listed" if left else ""
    return f"-- Further tables, by name only: {', '.join(names)}{more}."


def _listed(names: Sequence[str], most: int = 6) -> str:
    """The first and last names of a family; what lies between follows the pattern."""
    if len(names) <= most:
        return ", ".join(names)
    half = most // 2
    return f"{', '.join(names[:half])}, … {', '.join(names[-half:])} ({len(names)} tables)"
