"""The types of expressions in a bound query, before anything is planned; "unknown" where nothing says so."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from agents.dsl.expressions.infer import infer
from agents.engine.lift.calls import call_name
from agents.engine.lift.program import logical
from agents.engine.lift.query import ColumnKey, Constants, Cte, From, Node, Query, Select, SetQuery, Source, sources_of
from agents.engine.lift.relation import Field
from agents.errors import TypeMismatchError
from connections.catalogue import DialectName, SemanticType, Table

# What infer does not know, as the language has no such calls in expressions.
_CALLS: Mapping[str, SemanticType] = {
    "count": "integer", "row_number": "integer", "rank": "integer", "dense_rank": "integer", "ntile": "integer",
    "sum": "decimal", "avg": "decimal", "total": "float", "group_concat": "text", "string_agg": "text",
}  # fmt: skip


class Types:
    """The types of one statement."""

    def __init__(self, dialect: DialectName) -> None:
        self._dialect = dialect
        self._known: dict[ColumnKey, SemanticType] = {}

    def of(self, node: Node, item: From | None) -> SemanticType:
        """The type of `node`, which reads the sources of `item`."""
        sources = {source.id: source for source in sources_of(item)}
        columns: dict[str, Field] = {}

        def held(semantic: SemanticType) -> Node:
            name = f"c{len(columns)}"
            columns[name] = Field(name, semantic)
            return logical(name)

        def replaced(part: Node) -> Node:
            if isinstance(part, exp.Column):
                return held(self._column(sources[part.table], part.name) if part.table in sources else "unknown")
            if isinstance(part, exp.Window | exp.Filter):
                return held(self.of(part.this, item))
            semantic = _CALLS.get(call_name(part))
            return held(semantic) if semantic is not None else part

        tree = node.transform(replaced)
        try:
            return infer(tree, columns, self._dialect)[0]
        except TypeMismatchError:
            return "unknown"

    def output(self, query: Query, position: int) -> SemanticType:
        """The type of an output of `query`, the first one being 0."""
        if isinstance(query, Select):
            return self.of(query.outputs[position].node, query.source)
        if isinstance(query, Constants):
            found = {self.of(cells[position], None) for cells in query.rows}
        else:
            assert isinstance(query, SetQuery)
            found = {self.output(query.left, position), self.output(query.right, position)}
        return found.pop() if len(found) == 1 else "unknown"

    def _column(self, source: Source, name: str) -> SemanticType:
        key = source.id, name
        if key not in self._known:
            position, origin = source.columns.index(name), source.origin
            if isinstance(origin, Table):
                self._known[key] = origin.columns[position].semantic
            else:
                self._known[key] = self.output(origin.query if isinstance(origin, Cte) else origin, position)
        return self._known[key]
