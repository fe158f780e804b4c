"""Random SELECTs over the shop: every construct that lifting covers, nested in one another, always valid.

A query is drawn from a seeded generator, so a failing one can be made again from its seed. Limits come only behind a
total order, because without one a database may return any rows.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

COLUMNS = {
    "regions": ("id", "target"), "staff": ("id", "region_id", "boss_id", "wage"),
    "sales": ("id", "staff_id", "amount"), "marks": ("staff_id",), "blank": ("id",),
}  # fmt: skip
TEXTS = {"regions": "name", "staff": "name", "sales": "kind", "marks": "level", "blank": "note"}


@dataclass(frozen=True)
class Item:
    """A table in sight, by its alias."""

    alias: str
    table: str


class RandomSql:
    """`full_joins` and `any_all`: whether the dialect knows these."""

    def __init__(self, seed: int, *, full_joins: bool = True, any_all: bool = False) -> None:
        self.random = random.Random(seed)
        self.full_joins, self.any_all = full_joins, any_all
        self.aliases = 0

    def query(self) -> str:
        kind = self.random.random()
        if kind < 0.12:
            return f"{self._select(2, (), 2)[0]} {self._set_word()} {self._select(2, (), 2)[0]}"
        if kind < 0.2:
            inner, width = self._select(2, (), None)
            columns = ", ".join(f"c{i}" for i in range(width))
            condition = self._condition(1, (Item("w", ""),))
            return f"WITH w AS ({inner}) SELECT {columns} FROM w WHERE c0 IS NOT NULL OR {condition}"
        text, width = self._select(3, (), None)
        if self.random.random() < 0.25:
            order = ", ".join(f"{i + 1}" for i in range(width))
            return f"SELECT * FROM ({text}) AS o ORDER BY {order} LIMIT {self.random.randint(0, 6)}"
        return text

    def _set_word(self) -> str:
        return self.random.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])

    def _select(self, depth: int, outer: tuple[Item, ...], width: int | None) -> tuple[str, int]:
        source, items = self._from(depth)
        sight = (*items, *outer)
        where = f" WHERE {self._condition(depth, sight)}" if self.random.random() < 0.75 else ""
        width = width or self.random.randint(1, 3)
        kind = self.random.random()
        if kind < 0.3:
            return self._grouped(source, where, items, outer, depth, width), width
        outputs = [f"{self._number(depth, sight)} AS c{i}" for i in range(width)]
        if kind < 0.38:
            key, other = self._column(items), self._column(items)
            rank = self.random.choice(["RANK()", "DENSE_RANK()", "COUNT(*)", f"SUM({other})", f"MIN({other})"])
            outputs[-1] = f"{rank} OVER (PARTITION BY {key} ORDER BY {self._column(items)}) AS c{width - 1}"
        distinct = "DISTINCT " if self.random.random() < 0.2 else ""
        return f"SELECT {distinct}{', '.join(outputs)} FROM {source}{where}", width

    def _grouped(
        self, source: str, where: str, items: tuple[Item, ...], outer: tuple[Item, ...], depth: int, width: int
    ) -> str:
        keys = [self._column(items) for _ in range(self.random.randint(0, 2))]
        choices = [*keys, *(self._aggregate(items) for _ in range(3))]
        outputs = [f"{self.random.choice(choices)} AS c{i}" for i in range(width - 1)]
        outputs.append(f"{self._aggregate(items)} AS c{width - 1}")
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = ""
        if self.random.random() < 0.4:
            other = self._scalar(depth - 1, ()) if depth > 1 and self.random.random() < 0.5 else str(self._small())
            having = f" HAVING {self._aggregate(items)} {self._sign()} {other}"
        return f"SELECT {', '.join(outputs)} FROM {source}{where}{group}{having}"

    def _aggregate(self, items: tuple[Item, ...]) -> str:
        column = self._column(items)
        return self.random.choice([
            "COUNT(*)", f"COUNT({column})", f"COUNT(DISTINCT {column})", f"SUM({column})", f"MAX({column} + 1)",
            f"MIN({column})", f"SUM(CASE WHEN {column} > {self._small()} THEN 1 ELSE 0 END)",
        ])  # fmt: skip

    def _from(self, depth: int) -> tuple[str, tuple[Item, ...]]:
        text, item = self._table(depth)
        items = [item]
        while self.random.random() < 0.45 and len(items) < 3:
            joined, new = self._table(depth)
            full = "FULL JOIN" if self.full_joins else "JOIN"
            how = self.random.choice(["JOIN", "LEFT JOIN", ",", "RIGHT JOIN", full])
            condition = f"{self._column((new,))} = {self._column(tuple(items))}"
            if how == "," and "JOIN" in text:
                how = "CROSS JOIN"  # a comma binds weaker than JOIN in some dialects only
            if how in (",", "CROSS JOIN"):
                text += f"{',' if how == ',' else ' ' + how} {joined}"
            else:
                more = f" AND {self._column((new,))} > {self._small()}" if self.random.random() < 0.2 else ""
                if how == "FULL JOIN":
                    more = ""
                text += f" {how} {joined} ON {condition}{more}"
            items.append(new)
        return text, tuple(items)

    def _table(self, depth: int) -> tuple[str, Item]:
        self.aliases += 1
        alias = f"t{self.aliases}"
        table = self.random.choice(["regions", "staff", "staff", "sales", "sales", "marks", "blank"])
        if depth > 1 and self.random.random() < 0.15:
            inner = ", ".join((*COLUMNS[table], TEXTS[table]))
            where = f" WHERE {self._condition(1, (Item(table, table),))}" if self.random.random() < 0.6 else ""
            return f"(SELECT {inner} FROM {table}{where}) AS {alias}", Item(alias, table)
        return f"{table} AS {alias}", Item(alias, table)

    def _column(self, items: tuple[Item, ...]) -> str:
        item = self.random.choice(items)
        return f"{item.alias}.{self.random.choice(COLUMNS.get(item.table, ('c0',)))}"

    def _number(self, depth: int, sight: tuple[Item, ...]) -> str:
        kind = self.random.random()
        if kind < 0.55:
            return self._column(sight)
        if kind < 0.65:
            return f"COALESCE({self._column(sight)}, {self._small()})"
        if kind < 0.75:
            return f"{self._column(sight)} + {self._column(sight)}"
        if depth > 1 and kind < 0.88:
            return self._scalar(depth - 1, sight)
        return f"CASE WHEN {self._condition(depth - 1, sight)} THEN 1 ELSE 0 END"

    def _scalar(self, depth: int, outer: tuple[Item, ...]) -> str:
        source, items = self._from(depth)
        where = f" WHERE {self._tied(items, outer, depth)}"
        return f"(SELECT {self._aggregate(items)} FROM {source}{where})"

    def _tied(self, items: tuple[Item, ...], outer: tuple[Item, ...], depth: int) -> str:
        parts = []
        if outer and self.random.random() < 0.7:
            sign = "=" if self.random.random() < 0.75 else self._sign()
            parts.append(f"{self._column(items)} {sign} {self._column(outer)}")
        if not parts or self.random.random() < 0.4:
            sight = (*items, *outer) if self.random.random() < 0.2 else items
            parts.append(self._condition(depth - 1, sight))
        return " AND ".join(parts)

    def _condition(self, depth: int, sight: tuple[Item, ...]) -> str:
        kind = self.random.random()
        if depth > 0 and kind < 0.12:
            return f"({self._condition(depth - 1, sight)} OR {self._condition(depth - 1, sight)})"
        if depth > 0 and kind < 0.2:
            return f"NOT ({self._condition(depth - 1, sight)})"
        if depth > 0 and kind < 0.32:
            return f"{self._condition(depth - 1, sight)} AND {self._condition(depth - 1, sight)}"
        if depth > 0 and kind < 0.62:
            return self._subquery_condition(depth, sight)
        column = self._column(sight)
        return self.random.choice([
            f"{column} {self._sign()} {self._small()}", f"{column} IS NULL", f"{column} IS NOT NULL",
            f"{column} BETWEEN 1 AND {self._small()}", f"{column} IN (1, 3, {self._small()})",
            f"{column} {self._sign()} {self._column(sight)}",
        ])  # fmt: skip

    def _subquery_condition(self, depth: int, sight: tuple[Item, ...]) -> str:
        source, items = self._from(depth - 1)
        inner = f"SELECT {self._column(items)} FROM {source} WHERE {self._tied(items, sight, depth)}"
        word = "NOT " if self.random.random() < 0.4 else ""
        kind = self.random.random()
        if kind < 0.35:
            return f"{self._column(sight)} {word}IN ({inner})"
        if kind < 0.7:
            return f"{word}EXISTS ({inner})"
        if kind < 0.8 and self.any_all:
            sign = self.random.choice([">", ">=", "<", "<="])
            return f"{self._column(sight)} {sign} {self.random.choice(['ANY', 'ALL'])} ({inner})"
        return f"{self._column(sight)} {self._sign()} {self._scalar(depth - 1, sight)}"

    def _sign(self) -> str:
        return self.random.choice(["=", "<>", "<", ">", "<=", ">="])

    def _small(self) -> int:
        return self.random.choice([0, 1, 2, 3, 5, 30, 50, 80, 100])
