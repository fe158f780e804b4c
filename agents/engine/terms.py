"""Values in a SELECT that is being put together: columns of a source, written expressions, and calls over them.

A term stays abstract until the SELECT is written, because only then it is known how its columns must be spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from agents.dsl.expressions import Expression

_LONG = 80  # characters of a query in an expression; a longer one takes several lines
Build = Callable[[Sequence[exp.Expr]], exp.Expr]


@dataclass(frozen=True, eq=False)
class Term:
    """`query`, `aggregate`, `window` and `volatile` say what is inside; `size` is a rough length of its SQL in
    characters."""

    query: bool = field(default=False, kw_only=True)
    aggregate: bool = field(default=False, kw_only=True)
    window: bool = field(default=False, kw_only=True)
    volatile: bool = field(default=False, kw_only=True)
    size: int = field(default=0, kw_only=True)

    def refs(self) -> Iterator[Ref]:
        """Every column of a source that it reads, as often as it does."""
        raise NotImplementedError

    @property
    def constant(self) -> bool:
        """Whether it has the same value in every row."""
        return not (self.aggregate or self.window or self.volatile) and next(self.refs(), None) is None


@dataclass(frozen=True, eq=False)
class Ref(Term):
    """A column of the source with this number (`block.Source`)."""

    source: int
    column: str

    def refs(self) -> Iterator[Ref]:
        yield self


@dataclass(frozen=True, eq=False)
class Written(Term):
    """An expression of a call, over the terms of the columns that it names."""

    expression: Expression
    columns: Mapping[str, Term]

    def refs(self) -> Iterator[Ref]:
        for name in self.expression.columns:
            yield from self.columns[name].refs()


@dataclass(frozen=True, eq=False)
class Made(Term):
    """A node that the compiler builds itself, such as an aggregate, over `parts`."""

    build: Build
    parts: tuple[Term, ...]

    def refs(self) -> Iterator[Ref]:
        for part in self.parts:
            yield from part.refs()


@dataclass(frozen=True, eq=False)
class Nested(Term):
    """A query that reads columns of the sources around it, which are `outer`. It is built from their aliases."""

    build: Callable[[Mapping[int, str]], exp.Expr]
    outer: tuple[Ref, ...]

    def refs(self) -> Iterator[Ref]:
        yield from self.outer


def ref(source: int, column: str) -> Ref:
    return Ref(source, column, size=len(column) + 2)


def is_same(one: Term, other: Term) -> bool:
    """Whether the two are known to be one value."""
    if isinstance(one, Ref) and isinstance(other, Ref):
        return (one.source, one.column) == (other.source, other.column)
    return one is other


def written(expression: Expression, columns: Mapping[str, Term]) -> Term:
    """`expression` over `columns`, which must hold a term for each column that it names."""
    if expression.pieces[::2] == ("", ""):  # nothing but a column
        return columns[expression.columns[0]]
    used = {name: columns[name] for name in expression.columns}
    names = expression.pieces[1::2]
    return Written(
        expression,
        used,
        aggregate=any(term.aggregate for term in used.values()),
        window=any(term.window for term in used.values()),
        volatile=expression.volatile or any(term.volatile for term in used.values()),
        size=sum(map(len, expression.pieces[::2])) + sum(used[name].size for name in names),
    )


def made(build: Build, *parts: Term, aggregate: bool = False, window: bool = False, query: bool = False) -> Made:
    return Made(
        build,
        parts,
        query=query,
        aggregate=aggregate or any(part.aggregate for part in parts),
        window=window or any(part.window for part in parts),
        volatile=any(part.volatile for part in parts),
        size=20 + sum(part.size for part in parts),
    )


class Printer(Protocol):
    """What a dialect does for the writer."""

    def text(self, node: exp.Expr) -> str: ...
    def shielded(self, text: str) -> str: ...
    def quoted(self, name: str) -> str: ...


@dataclass(frozen=True)
class Writer:
    """Turns terms into sqlglot nodes. `aliases` names the sources by their numbers; where it is None, columns stand
    without a source in front."""

    printer: Printer
    aliases: Mapping[int, str] | None = None

    def node(self, term: Term) -> exp.Expr:
        """In parentheses unless it binds tighter than any operator."""
        if isinstance(term, Ref):
            table = self.identifier(self.aliases[term.source]) if self.aliases else None
            return exp.Column(this=self.identifier(term.column), table=table)
        if isinstance(term, Written):
            texts = {name: self.text(part) for name, part in term.columns.items()}
            for name in term.expression.subscripted:
                if not isinstance(term.columns[name], Ref):
                    texts[name] = f"({texts[name]})"
            node = exp.Var(this=self.printer.shielded(term.expression.write(texts)))
            return node if term.expression.atomic else exp.Paren(this=node)
        built = self._built(term)
        line = self.printer.text(loose(built))
        if term.query and len(line) > _LONG:
            return self._built(term)
        flat = exp.Var(this=self.printer.shielded(line))
        return exp.Paren(this=flat) if isinstance(built, exp.Paren) else flat

    def _built(self, term: Term) -> exp.Expr:
        if isinstance(term, Nested):
            assert self.aliases is not None
            return term.build(self.aliases)
        assert isinstance(term, Made)
        return term.build([self.node(part) for part in term.parts])

    def text(self, term: Term) -> str:
        """The SQL of `term` on one line, fit to stand in an expression."""
        if isinstance(term, Ref):
            column = self.printer.quoted(term.column)
            return f"{self.printer.quoted(self.aliases[term.source])}.{column}" if self.aliases else column
        return self.printer.text(self.node(term))

    def identifier(self, name: str) -> exp.Identifier:
        return exp.Identifier(this=self.printer.shielded(name), quoted=True)

    def conjunction(self, terms: Sequence[Term]) -> exp.Expr:
        """All of `terms`, at least one, joined by AND."""
        nodes = []
        for term in terms:
            safe = isinstance(term, Nested) or (
                isinstance(term, Written) and isinstance(term.expression.tree, _BESIDE_AND)
            )
            node = self.node(term)
            nodes.append(loose(node) if safe or len(terms) == 1 else _on_one_line(node))
        result = nodes[0]
        for node in nodes[1:]:
            result = exp.And(this=result, expression=node)
        return result


def _on_one_line(node: exp.Expr) -> exp.Expr:
    """Parentheses around a raw text as part of it: the pretty printer would break the line inside them."""
    raw = isinstance(node, exp.Paren) and isinstance(node.this, exp.Var)
    return exp.Var(this=f"({node.this.name})") if raw else node


# Comparisons and the like keep their meaning next to AND without parentheses.
_BESIDE_AND = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Like, exp.ILike, exp.Between,
    exp.Not, exp.And, exp.Anonymous, exp.Column,
)  # fmt: skip


def loose(node: exp.Expr) -> exp.Expr:
    """`node` without the parentheses around all of it, for where nothing can bind tighter."""
    return node.this if isinstance(node, exp.Paren) else node
