"""Random conditions and values over the columns of a relation, in the neutral spelling of `spelling.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

INT, TEXT, DATE, DECIMAL, TRUTH, ROUNDED = "int", "text", "date", "decimal", "truth", "rounded"
EXACT = (INT, TEXT, DATE, DECIMAL, TRUTH)  # all but what databases round differently
KEYS = (INT, TEXT, DATE, DECIMAL)
WORDS = ("paid", "open", "pt", "new", "ann", "zzz", "")
DAYS = ("1969-12-31", "1999-12-31", "2000-02-29", "2024-01-01", "2024-02-29")
SIGNS = ("=", "<>", "<", "<=", ">", ">=")

Kinds = Mapping[str, str]
Draw = Callable[[Any], Any]


def literal(draw: Draw, kind: str) -> str:
    if kind == INT:
        return str(draw(st.integers(0, 40)))
    if kind == DECIMAL:
        return draw(st.sampled_from(["0.25", "7.50", "12.00", "100.75"]))
    if kind == DATE:
        return f"DAY('{draw(st.sampled_from(DAYS))}')"
    return f"'{draw(st.sampled_from(WORDS))}'"


def of(kinds: Kinds, *wanted: str) -> list[str]:
    return [name for name, kind in kinds.items() if kind in wanted]


def predicate(draw: Draw, kinds: Kinds) -> str:
    """A condition of one or two tests, or "" where no column can be tested."""
    tests = [test for _ in range(draw(st.integers(1, 2))) if (test := _test(draw, kinds))]
    tests = [f"NOT ({test})" if draw(st.integers(0, 4)) == 0 else test for test in tests]
    return draw(st.sampled_from([" AND ", " OR "])).join(tests)


def _test(draw: Draw, kinds: Kinds) -> str:
    columns = of(kinds, *EXACT)
    if not columns:
        return ""
    name = draw(st.sampled_from(columns))
    kind, column = kinds[name], f"⟦{name}⟧"
    if draw(st.integers(0, 4)) == 0:
        return f"{column} IS {draw(st.sampled_from(['', 'NOT ']))}NULL"
    if kind == TRUTH:
        return column
    return draw(st.sampled_from(_tests(draw, column, kind, of(kinds, kind))))


def _tests(draw: Draw, column: str, kind: str, same: Sequence[str]) -> list[str]:
    def some() -> str:
        return literal(draw, kind)

    sign, other = draw(st.sampled_from(SIGNS)), f"⟦{draw(st.sampled_from(same))}⟧"
    tests = [f"{column} {sign} {some()}", f"{column} {sign} {other}", f"{column} IN ({some()}, {some()})",
             f"{column} NOT IN ({some()}, {some()})", f"{column} BETWEEN {some()} AND {some()}"]  # fmt: skip
    if kind == INT:
        tests += [f"{column} + 1 {sign} {other}", f"{column} % 3 = 1"]
    if kind == TEXT:
        tests += [f"{column} LIKE 'p%'", f"{column} LIKE '%n%'", f"LENGTH({column}) {sign} 4"]
    if kind == DATE:
        tests += [f"YEAR_OF({column}) {sign} 2000"]
    return tests


def value(draw: Draw, kinds: Kinds) -> tuple[str, str]:
    """An expression and its kind."""
    options = [("7", INT), ("'word'", TEXT)]
    for kind in (INT, TEXT, DATE, DECIMAL):
        if names := of(kinds, kind):
            one, other = (f"⟦{draw(st.sampled_from(names))}⟧" for _ in range(2))
            options += [(text, kind) for text in _alike(draw, one, other, kind)]
            options += _others(one, other, kind)
    if test := predicate(draw, kinds):
        options += [(test, TRUTH), (f"CASE WHEN {test} THEN 1 ELSE 0 END", INT)]
    return draw(st.sampled_from(options))


def _alike(draw: Draw, one: str, other: str, kind: str) -> list[str]:
    """Values of the same kind."""
    fixed = literal(draw, kind)
    values = [f"COALESCE({one}, {fixed})", f"COALESCE({one}, {other})", f"NULLIF({one}, {fixed})",
              f"CASE WHEN {one} > {fixed} THEN {other} ELSE {fixed} END",
              f"CASE WHEN {one} = {other} THEN {one} END"]  # fmt: skip
    if kind in (INT, DECIMAL):
        values += [f"{one} + {other}", f"{one} * 3 - 1", f"{one} - {other}", f"ABS({one} - 20)", f"-{one}"]
    return values


def _others(one: str, other: str, kind: str) -> list[tuple[str, str]]:
    if kind == INT:
        return [(f"{one} % 7", INT)]
    if kind == TEXT:
        return [(f"JOINED({one}, 'x')", TEXT), (f"SUBSTR({one}, 1, 2)", TEXT), (f"LENGTH({one})", INT)]
    if kind == DATE:
        return [(f"YEAR_OF({one})", INT), (f"MONTH_START({one})", DATE), (f"DAYS_LATER({one}, 31)", DATE),
                (f"PERIOD_OF({one})", TEXT)]  # fmt: skip
    return [(f"{one} > {other}", TRUTH)]
