"""From a finished block to a SELECT as an analyst would write it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from agents.engine.block import Block, OrderTerm, Source
from agents.engine.dialects import Dialect
from agents.engine.naming import Names
from agents.engine.terms import Nested, Term, Writer, loose


def write_select(
    block: Block,
    outputs: Sequence[tuple[Term, str]],
    dialect: Dialect,
    *,
    ordered: bool,
    around: Mapping[int, str] | None = None,
) -> exp.Query:
    """`outputs` are the values to select with their names; `ordered` asks for ORDER BY (always there under a limit).
    `around` are the aliases of the query in which it stands, whose columns it reads."""
    if block.body is not None:
        return block.body
    order = block.order if ordered or block.limit is not None else ()
    qualified = around is not None or _must_qualify(block, outputs, order, dialect)
    writer = Writer(dialect, _aliases(block, dialect, around or {}) if qualified else None)
    written = [_output(term, name, writer) for term, name in outputs]
    one_row = block.group == [] and not any(term.aggregate for term, _ in outputs)
    select = exp.Select(
        expressions=[_row_count(writer)] if one_row else written,
        from_=exp.From(this=_table(block.sources[0], writer)),
        joins=[_join(source, writer) for source in block.sources[1:]],
    )
    if block.where:
        select.set("where", exp.Where(this=writer.conjunction(block.where)))
    if block.group:
        select.set("group", exp.Group(expressions=[loose(writer.node(term)) for term in block.group]))
    if block.having:
        select.set("having", exp.Having(this=writer.conjunction(block.having)))
    if one_row:
        counted = exp.Subquery(this=select, alias=writer.identifier("one_row"))
        select = exp.Select(expressions=written, from_=exp.From(this=counted))
    if block.distinct:
        select.set("distinct", exp.Distinct())
    if keys := _order_keys(order, outputs, block, dialect, writer):
        select.set("order", exp.Order(expressions=keys))
    if block.limit is not None:
        select.set("limit", exp.Limit(expression=exp.Literal.number(block.limit)))
        if block.offset:
            select.set("offset", exp.Offset(expression=exp.Literal.number(block.offset)))
    return select


def _row_count(writer: Writer) -> exp.Expr:
    """Without GROUP BY only an aggregate makes a SELECT give one row; this one serves when constants are asked for."""
    count = exp.Anonymous(this="COUNT", expressions=[exp.Star()])
    return exp.Alias(this=count, alias=writer.identifier("row_count"))


def _must_qualify(
    block: Block, outputs: Sequence[tuple[Term, str]], order: Sequence[OrderTerm], dialect: Dialect
) -> bool:
    """One source needs no prefixes, unless a column after GROUP BY could be read as an output of that name."""
    if len(block.sources) > 1 or (dialect.qualifies_base_columns and block.sources[0].stored.is_table):
        return True
    if any(isinstance(term, Nested) for term in block.where):
        return True
    if dialect.qualifies_beside_windows and any(key.term.window for key in order):
        return True
    shadowed = {dialect.folded(n) for term, n in outputs if not _is_column(term, n)}
    late = (*(block.group or ()), *block.having, *(key.term for key in order))
    return bool(shadowed) and any(dialect.folded(ref.column) in shadowed for term in late for ref in term.refs())


def _is_column(term: Term, name: str) -> bool:
    return getattr(term, "column", None) == name


def _output(term: Term, name: str, writer: Writer) -> exp.Expr:
    node = loose(writer.node(term))
    return node if _is_column(term, name) else exp.Alias(this=node, alias=writer.identifier(name))


def _table(source: Source, writer: Writer) -> exp.Table:
    stored = source.stored
    table = exp.Table(
        this=writer.identifier(stored.name), db=writer.identifier(stored.schema) if stored.schema else None
    )
    alias = writer.aliases[source.number] if writer.aliases else stored.name
    if alias != stored.name:
        table.set("alias", exp.TableAlias(this=writer.identifier(alias)))
    return table


def _aliases(block: Block, dialect: Dialect, around: Mapping[int, str]) -> Mapping[int, str]:
    names = Names(dialect, frozenset(dialect.folded(alias) for alias in around.values()))
    return {**around, **{source.number: names.free(source.alias) for source in block.sources}}


def _join(source: Source, writer: Writer) -> exp.Join:
    table = _table(source, writer)
    if source.how == "cross":
        return exp.Join(this=table, kind="CROSS")
    on = (
        writer.conjunction(source.on)
        if source.on
        else exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1))
    )
    return exp.Join(this=table, side="LEFT" if source.how == "left" else None, on=on)


def _order_keys(
    order: Iterable[OrderTerm], outputs: Sequence[tuple[Term, str]], block: Block, dialect: Dialect, writer: Writer
) -> list[exp.Ordered]:
    if block.group == []:
        return []  # One row has no order.
    names = _unambiguous_names(outputs, dialect)
    keys: list[exp.Ordered] = []
    for key in order:
        if key.term.constant:
            continue  # It orders nothing, and as a number it would be read as a position.
        nulls = key.nulls if (key.nulls == "first") != dialect.nulls_first(key.descending) else ""
        name = names.get(id(key.term)) if dialect.nulls_clause or not nulls else None
        plain = name is None or _is_column(key.term, name)
        node = writer.node(key.term) if plain else exp.Column(this=writer.identifier(name or ""))
        keys += dialect.ordered(node, key.descending, nulls)
    return keys


def _unambiguous_names(outputs: Sequence[tuple[Term, str]], dialect: Dialect) -> Mapping[int, str]:
    folded = [dialect.folded(name) for _, name in outputs]
    return {id(term): name for term, name in outputs if folded.count(dialect.folded(name)) == 1}
