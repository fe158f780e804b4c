"""One method an operation: how it joins the SELECT in the making, or starts a new one over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from agents.dsl.operations.aggregate import ANY_VALUE, Aggregate
from agents.dsl.operations.base import Need
from agents.dsl.operations.join_table import JoinTable
from agents.dsl.operations.limit import Limit
from agents.dsl.operations.order_by import OrderBy
from agents.dsl.operations.select_columns import SelectColumns
from agents.dsl.operations.set_operation import SetOperation
from agents.dsl.operations.table_ref import TableRef
from agents.dsl.operations.window_column import WindowColumn
from agents.dsl.relation import Relation
from agents.engine.block import MAX_SOURCES, Block, OrderTerm, Stored
from agents.engine.calls import add_helper_columns, aggregate_term, window_term
from agents.engine.dialects import Dialect
from agents.engine.joins import anti_join, demands, equal_keys, keeps_unmatched, only_filters, semi_join
from agents.engine.naming import physical_names
from agents.engine.plan import plan
from agents.engine.select import write_select
from agents.engine.steps import MAX_STEPS, ONE, Steps
from agents.engine.tables import Tables
from agents.engine.terms import Ref, Term, made, ref, written
from agents.errors import LimitExceededError

Stores = Mapping[int, Stored]


class Lowering:
    """The work on one statement."""

    def __init__(self, root: Relation, tables: Tables, dialect: Dialect, stores: Stores) -> None:
        self.tables = tables
        self.dialect = dialect
        self.stores = stores
        self.plan = plan(root, is_stored=lambda relation: id(relation) in stores)
        self.steps = Steps(dialect, tables.names.union(dialect.folded(stored.name) for stored in stores.values()))
        self.blocks: dict[int, Block] = {}
        self.shared: dict[int, Stored] = {}
        self.unmatched: set[int] = set()  # joins of which only the left rows without a match are there

    def run(self) -> Block:
        for relation in self.plan.order:
            block = self._visit(relation)
            if not block.distinct and block.body is None:
                wanted = self._need(relation).columns
                block.columns = {name: block.columns[name] for name in relation.columns if name in wanted}
            self.blocks[id(relation)] = block
            if self.plan.uses.get(id(relation), 0) > 1:
                self._share(relation, block)
            if len(self.steps.finished) > MAX_STEPS:
                raise LimitExceededError(
                    f"The relation needs more than {MAX_STEPS} steps of SQL. materialize an intermediate relation, or "
                    "use fewer operations."
                )
        return self.blocks[id(self.plan.order[-1])]

    def _visit(self, relation: Relation) -> Block:
        if stored := self.stores.get(id(relation)):
            return self.steps.read(stored, relation.handle, self._wanted(relation))
        method: Callable[..., Block] = getattr(self, f"_{relation.operation.name}")
        return method(relation, *(self._input(source) for source in relation.inputs))

    def _need(self, relation: Relation) -> Need:
        return self.plan.needs[id(relation)]

    def _wanted(self, relation: Relation) -> list[str]:
        return [name for name in relation.columns if name in self._need(relation).columns]

    def _share(self, relation: Relation, block: Block) -> None:
        """What several operations read becomes a step; a mere view of a table is written out for each instead."""
        if block.bare:
            (source,) = block.sources
            columns = {name: term.column for name, term in block.columns.items() if isinstance(term, Ref)}
            stored = source.stored
            self.shared[id(relation)] = Stored(stored.name, stored.schema, columns, is_table=stored.is_table)
        else:
            self.shared[id(relation)] = self._close(block, relation)

    def _input(self, relation: Relation) -> Block:
        if stored := self.shared.get(id(relation)):
            return self._read(stored, relation)
        return self.blocks.pop(id(relation))

    def _close(
        self, block: Block, relation: Relation, *, materialized: bool = False, sorted_inside: bool = False
    ) -> Stored:
        return self.steps.close(
            block,
            relation.handle,
            ordered=self._need(relation).ordered,
            materialized=materialized,
            sorted_inside=sorted_inside,
            readers=self.plan.uses.get(id(relation), 1),
        )

    def _read(self, stored: Stored, relation: Relation) -> Block:
        return self.steps.read(stored, relation.handle, list(stored.columns))

    def _step(self, block: Block, relation: Relation) -> Block:
        """`block`, which is `relation`, as a finished step, and a new block over it."""
        return self._read(self._close(block, relation), relation)

    # ---- Operations --------------------------------------------------------------------------------------------------

    def _table_ref(self, relation: Relation) -> Block:
        assert isinstance(relation.operation, TableRef)
        return self.steps.read(self.tables.stored(relation.operation.table), relation.handle, self._wanted(relation))

    def _select_columns(self, relation: Relation, block: Block) -> Block:
        assert isinstance(relation.operation, SelectColumns)
        wanted = self._need(relation).columns
        items = [item for item in relation.operation.columns if item.as_ in wanted or block.distinct]
        if not block.takes_projection([item.column for item in items]):
            block = self._step(block, relation.inputs[0])
            items = [item for item in items if item.as_ in wanted]
        block.columns = {item.as_: block.columns[item.column] for item in items}
        return block

    def _distinct(self, relation: Relation, block: Block) -> Block:
        if not block.takes_distinct():
            block = self._step(block, relation.inputs[0])
        block.distinct, block.order = True, ()
        return block

    def _filter_expr(self, relation: Relation, block: Block) -> Block:
        if id(relation.inputs[0]) in self.unmatched:
            return block
        (predicate,) = relation.expressions
        if not block.takes_filter([block.columns[name] for name in predicate.columns]):
            block = self._step(block, relation.inputs[0])
        term = written(predicate, block.columns)
        # A condition on the keys alone drops the same groups before they are made.
        of_keys = bool(block.group) and not (term.aggregate or term.volatile or self.dialect.having_finds_keys)
        (block.where if block.group is None or of_keys else block.having).append(term)
        return block

    def _derive_column(self, relation: Relation, block: Block) -> Block:
        name = list(relation.columns)[-1]
        if name not in self._need(relation).columns:
            return block
        (expression,) = relation.expressions
        term = written(expression, block.columns)
        read = [block.columns[used] for used in expression.columns]
        if not block.takes_expression(read, term.size) or self._misreads(block, read):
            block = self._step(block, relation.inputs[0])
            term = written(expression, block.columns)
        block.columns[name] = term
        return block

    def _misreads(self, block: Block, read: Sequence[Term]) -> bool:
        """Whether the database would get an expression over `read` wrong."""
        after_group = block.group is not None and any(term.window for term in read)
        return after_group and not self.dialect.computes_over_windows

    def _window_column(self, relation: Relation, block: Block) -> Block:
        operation = relation.operation
        assert isinstance(operation, WindowColumn)
        if operation.name_ not in self._need(relation).columns:
            return block
        used = self._used_by_window(operation, block)
        computed = operation.default is not None and not self.dialect.shift_defaults
        if not block.takes_window(used) or (computed and block.group is not None):
            block = self._step(block, relation.inputs[0])
        semantic = relation.inputs[0].semantic_of(operation.column)
        block.columns[operation.name_] = window_term(operation, semantic, block, self.dialect)
        return block

    def _used_by_window(self, operation: WindowColumn, block: Block) -> list[Term]:
        names = [*operation.partition_by, *(key.column for key in operation.order_by)]
        names += [operation.column] if operation.column else []
        return [block.columns[name] for name in names] + [key.term for key in block.order if operation.follows_order]

    def _order_by(self, relation: Relation, block: Block) -> Block:
        assert isinstance(relation.operation, OrderBy)
        if not self._need(relation).ordered:
            return block
        keys = relation.operation.keys
        if not block.takes_order([block.columns[key.column] for key in keys]):
            block = self._step(block, relation.inputs[0])
        block.order = tuple(OrderTerm(block.columns[key.column], key.descending, key.nulls) for key in keys)
        return block

    def _limit(self, relation: Relation, block: Block) -> Block:
        assert isinstance(relation.operation, Limit)
        count, offset = relation.operation.n, relation.operation.offset
        if not block.takes_limit():
            block = self._step(block, relation.inputs[0])
        if block.limit is not None:
            count = max(0, min(count, block.limit - offset))
        block.limit, block.offset = count, min(block.offset + offset, 2**63 - 1)
        return block

    def _materialize(self, relation: Relation, block: Block) -> Block:
        """A temp table where there is one (then it is among the stores), otherwise a step that is computed once."""
        return self._read(self._close(block, relation, materialized=True), relation)

    def _aggregate(self, relation: Relation, block: Block) -> Block:
        operation, (source,) = relation.operation, relation.inputs
        assert isinstance(operation, Aggregate)
        aggs = operation.filtered(relation, self._need(relation).columns)
        helpers = add_helper_columns(aggs, operation.group_by, block, self.dialect, lambda b: self._step(b, source))
        block = helpers.block
        keys = [block.columns[name] for name in operation.group_by]
        read = [term for name, term in block.columns.items() if name not in operation.group_by]
        read += [key.term for key in block.order]  # texts are joined in this order
        if not block.takes_group(keys, read):
            block = self._step(block, source)
        if block.order and not self.dialect.ordered_aggregates and any(agg.fn == "string_agg" for agg, _ in aggs):
            block = self._read(self._close(block, source, sorted_inside=True), source)
        alone = not operation.group_by and all(agg.fn == ANY_VALUE for agg, _ in aggs)
        terms = {
            agg.as_: aggregate_term(
                agg,
                condition,
                block,
                self.dialect,
                helpers=helpers.names,
                semantic=source.semantic_of(agg.column),
                alone=alone,
            )
            for agg, condition in aggs
        }
        keys = [block.columns[name] for name in operation.group_by]
        keys = block.grouped_by_key(keys) if self.dialect.knows_dependent_keys else keys
        groups = dict(zip(operation.group_by, keys, strict=True))
        block.group, block.columns, block.order = list(groups.values()), groups | terms, ()
        block.sealed = not groups and any(agg.fn in self.dialect.read_in_a_step for agg, _ in aggs)
        return block

    def _join_table(self, relation: Relation, left: Block, right: Block) -> Block:
        operation, (one, other) = relation.operation, relation.inputs
        assert isinstance(operation, JoinTable)
        if not left.joins_on_the_left() or len(left.sources) == MAX_SOURCES:
            left = self._step(left, one)
        new_names = dict(zip(other.columns, list(relation.columns)[len(one.columns) :], strict=True))
        if only_filters(relation, new_names, self._need(relation).columns):
            if not right.becomes_query():
                right = self._step(right, other)
            return semi_join(operation, left, right, self.dialect)
        if self.dialect.joins_not_exists and (block := self._anti_join(relation, left, right, new_names)):
            return block
        if not right.joins_on_the_right(operation.how):
            right = self._step(right, other)
        columns = left.columns | {new_names[name]: term for name, term in right.columns.items()}
        on = demands(relation, left, right, columns)
        if operation.how == "left":
            on += right.where
        else:
            left.where += right.where
        left.equals += equal_keys(relation, left, right)
        left.sources.append(replace(right.sources[0], how=operation.how, on=tuple(on)))
        left.columns, left.order = columns, ()
        return left

    def _anti_join(self, relation: Relation, left: Block, right: Block, new_names: Mapping[str, str]) -> Block | None:
        """The left rows without a match, if the reader of this left join keeps only these."""
        reader = self.plan.only_reader(relation)
        tested = reader and keeps_unmatched(relation, reader, new_names, self._need(reader).columns)
        if not tested:
            return None
        right.forget_repeats()
        if not right.joins_on_the_left() or not right.becomes_query():
            right = self._step(right, relation.inputs[1])
        columns = left.columns | {new_names[name]: term for name, term in right.columns.items()}
        block = anti_join(left, right, demands(relation, left, right, columns), self.dialect)
        block.columns[tested] = made(lambda parts: exp.Null())
        self.unmatched.add(id(relation))
        return block

    def _set_operation(self, relation: Relation, left: Block, right: Block) -> Block:
        operation = relation.operation
        assert isinstance(operation, SetOperation)
        # Only under UNION ALL may a column that nobody asks for be left out: the others compare whole rows.
        wanted = self._wanted(relation) if operation.kind == "union_all" else list(relation.columns)
        physical = physical_names(wanted, self.dialect)
        matched = dict(zip(relation.columns, relation.inputs[1].columns, strict=True))
        sides: list[exp.Query] = []
        for block, source, names in (
            (left, relation.inputs[0], wanted),
            (right, relation.inputs[1], [matched[name] for name in wanted]),
        ):
            ready = block if block.takes_set_operation(names) else self._step(block, source)
            outputs = [(ready.columns[n], physical[name]) for n, name in zip(names, wanted, strict=True)]
            if sides:  # Only the first SELECT names the columns.
                outputs = [(term, term.column if isinstance(term, Ref) else name) for term, name in outputs]
            sides.append(write_select(ready, outputs or [(ONE, "one")], self.dialect, ordered=False))
        node = {"intersect": exp.Intersect, "except": exp.Except}.get(operation.kind, exp.Union)
        body = node(this=sides[0], expression=sides[1], distinct=operation.kind != "union_all")
        return Block([], {name: ref(0, physical[name]) for name in wanted}, body=body)
