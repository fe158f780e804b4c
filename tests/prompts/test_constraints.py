"""What a constrained model may write: every valid call, and no name that does not exist."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
import xllamacpp

from agents.composition import door_to
from agents.dsl.operations import OPERATIONS, RelationOperation
from agents.engine.engine import Engine
from agents.llm.parsing import read_reply
from agents.prompts.constraints import MOST_GROUPS, Names, reply_schema
from connections.catalogue import Catalogue, Column, Table
from tests.agents.runs import SHOP, call, final

CALLS = [
    call("table_ref", "r1", table="orders"),
    call("select_columns", "r2", rel="o", columns=["id", {"column": "total", "as": "amount"}]),
    call("distinct", "r2", rel="o"),
    call("filter_expr", "r1", rel="o", predicate="status = 'paid' AND total > 5"),
    call("join_table", "r1", left="o", right="c", how="inner", on=[["customer_id", "id"]]),
    call("join_table", "r1", left="o", right="c", how="cross"),
    call("aggregate", "r1", rel="o", group_by=["status"], aggs=[{"fn": "count", "column": "*", "as": "n"}]),
    call("derive_column", "r1", rel="o", name="tax", expr="total * 0.2"),
    call("window_column", "r1", rel="o", name="place", fn="rank", order_by=[["total", "desc", "nulls_last"]]),
    call("window_column", "r1", rel="o", name="before", fn="lag", column="total", offset=1, default=0),
    call("order_by", "r1", rel="o", keys=[["total", "desc"], ["id"]]),
    call("limit", "r1", rel="o", n=10),
    call("materialize", "r1", rel="o"),
    call("execute", rel="o"),
    call("probe_values", rel="o", column="status", contains="pa"),
    call("value_exists", rel="o", column="status", value="paid"),
    call("sim_value_in", rel="o", column="status", value="payed", k=3),
    call("set_operation", "r1", left="o", right="c", kind="union_all"),
]

EXAMPLES = [
    call(operation.name, *(["r1"] if issubclass(operation, RelationOperation) else []), **json.loads(operation.example))
    for operation in OPERATIONS
]

EXAMPLE_COLUMNS = "ALTER TABLE orders ADD COLUMN city TEXT; ALTER TABLE customers ADD COLUMN city TEXT"
"""What the operations' own examples take of `o` and `c`."""

# Into any call: what does not exist.
WRONG = [
    (call("table_ref", "r1", table="orders"), ("args", "table"), "sales"),
    (call("select_columns", "r1", rel="o", columns=["id"]), ("args", "columns"), ["identity"]),
    (call("select_columns", "r1", rel="o", columns=["id"]), ("args", "rel"), "orders_2"),
    (call("select_columns", "r1", rel="o", columns=["id"]), ("op",), "project"),
    (call("execute", rel="o"), ("args", "rel"), "nothing"),
    (call("order_by", "r1", rel="o", keys=[["id", "asc"]]), ("args", "keys"), [["age", "asc"]]),
    (call("join_table", "r1", left="o", right="c", how="inner", on=[]), ("args", "how"), "right"),
    (call("aggregate", "r1", rel="o", aggs=[]), ("args", "aggs"), [{"fn": "mode", "column": "id", "as": "m"}]),
    (call("aggregate", "r1", rel="o", aggs=[]), ("args", "having"), "1 = 1"),
    (call("limit", "r1", rel="o", n=1), ("out",), "any other name"),
    (call("aggregate", "r1", rel="o", group_by=["status"], aggs=[]), ("args", "group_by"), ["*"]),
    (call("aggregate", "r1", rel="o", aggs=[]), ("args", "aggs"), [{"fn": "sum", "column": "*", "as": "s"}]),
    (call("probe_values", rel="o", column="status"), ("args", "column"), "*"),
    (call("select_columns", "r1", rel="o", columns=["id"]), ("args", "columns"), ["*"]),
    (call("window_column", "r1", rel="o", name="n", fn="count", column="*", partition_by=[]),
     ("args", "partition_by"), ["*"]),
    # What another relation has, or what is no key:
    (call("select_columns", "r1", rel="o", columns=["total"]), ("args", "rel"), "c"),
    (call("probe_values", rel="o", column="status"), ("args", "rel"), "c"),
    (call("join_table", "r1", left="o", right="c", how="inner", on=[["customer_id", "id"]]),
     ("args", "on"), [["id", "customer_id"]]),
    (call("order_by", "r1", rel="o", keys=[["id", "asc"]]), ("args", "keys"), [["asc", "asc"]]),
    (call("order_by", "r1", rel="o", keys=[["id", "asc"]]), ("args", "keys"), [["id", "nulls_last"]]),
]  # fmt: skip


@pytest.fixture
def engine(new_database: Callable[[str, str], str]) -> Iterator[Engine]:
    with door_to(new_database("sqlite", f"{SHOP}; {EXAMPLE_COLUMNS}")) as door:
        engine = Engine(door)
        named = {name for operation in OPERATIONS for name in operation.read(json.loads(operation.example)).handles()}
        engine.run([call("table_ref", name, table="orders") for name in sorted(named - {"o", "c"})])
        engine.run([call("table_ref", "o", table="orders"), call("table_ref", "c", table="customers")])
        yield engine


@pytest.fixture
def schema(engine: Engine) -> dict[str, Any]:
    catalogue = engine.access.door.catalogue
    shown = [table.qualified for table in catalogue.tables]
    return reply_schema(Names.of(catalogue, shown, engine.handles, 8), results=1)


def reply(*batch: dict[str, Any]) -> dict[str, Any]:
    return {"thought": "I look.", "calls": list(batch)}


@pytest.mark.parametrize("one", [*EXAMPLES, *CALLS], ids=lambda one: one["op"])
def test_every_valid_call_is_accepted_and_read(schema: dict[str, Any], one: dict[str, Any]) -> None:
    jsonschema.validate(reply(one), schema)
    parsed = read_reply(json.dumps(reply(one)), operations=[operation.name for operation in OPERATIONS])
    assert list(parsed.calls) == [one]


@pytest.mark.parametrize(("one", "path", "value"), WRONG)
def test_what_does_not_exist_cannot_be_written(
    schema: dict[str, Any], one: dict[str, Any], path: tuple[str, ...], value: Any
) -> None:
    jsonschema.validate(reply(one), schema)
    wrong = copy.deepcopy(one)
    target = wrong
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply(wrong), schema)


def test_an_end_without_a_result_can_only_be_a_question_or_a_refusal(engine: Engine, schema: dict[str, Any]) -> None:
    catalogue = engine.access.door.catalogue
    none = reply_schema(Names.of(catalogue, [], engine.handles, 8), results=0)
    answer = {"thought": "", "final": "Four: <execute_result_1>."}
    jsonschema.validate(answer, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer, none)
    for end in (final("Which?", clarify={"options": ["a", "b"]}), final("No salaries here.", unanswerable=True)):
        jsonschema.validate({"thought": "", **json.loads(end)}, none)


def test_the_local_models_server_makes_a_grammar_of_it(schema: dict[str, Any]) -> None:
    grammar = xllamacpp.json_schema_to_grammar(json.dumps(schema))
    for name in ("customer_id", "value_exists", "r1"):
        assert name in grammar


def operations(schema: dict[str, Any]) -> set[str]:
    """Those that may be called."""
    return {
        offered["properties"]["op"]["const"]
        for reply in schema["anyOf"] if "calls" in reply["properties"]
        for offered in reply["properties"]["calls"]["items"]["anyOf"]
    }  # fmt: skip


def test_step_by_step_nothing_is_used_before_it_is_made(engine: Engine) -> None:
    catalogue = engine.access.door.catalogue
    shown = [table.qualified for table in catalogue.tables]
    first = reply_schema(Names.of(catalogue, shown, {}, 8, step_by_step=True), results=0)
    assert operations(first) == {"table_ref"}
    both = reply(call("table_ref", "r1", table="orders"), call("execute", rel="r1"))
    later = reply_schema(Names.of(catalogue, shown, engine.handles, 8, step_by_step=True), results=0)
    for schema in (first, later):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(both, schema)
    jsonschema.validate(reply(call("table_ref", "r1", table="regions"), call("execute", rel="o")), later)
    jsonschema.validate(both, reply_schema(Names.of(catalogue, shown, {}, 8), results=0))


def test_step_by_step_a_table_is_opened_once(engine: Engine) -> None:
    names = Names.of(engine.access.door.catalogue, [], engine.handles, 8, step_by_step=True)
    assert names.tables == ("regions",)
    assert "orders" in Names.of(engine.access.door.catalogue, [], engine.handles, 8).tables


def test_the_columns_of_many_relations_stay_few_sets(engine: Engine) -> None:
    for number in range(1, 30):
        engine.run([call("derive_column", f"d{number}", rel="o", name=f"tax_{number}", expr=f"total * {number}")])
    names = Names.of(engine.access.door.catalogue, [], engine.handles, 8, step_by_step=True)
    schema = reply_schema(names, results=0)
    assert len(schema["$defs"]) == MOST_GROUPS
    jsonschema.validate(reply(call("select_columns", "r1", rel="o", columns=["total"])), schema)
    jsonschema.validate(reply(call("select_columns", "r1", rel="d29", columns=["tax_29"])), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(reply(call("select_columns", "r1", rel="d29", columns=["tax_28"])), schema)
    assert len(json.dumps(schema)) < 120_000


def test_what_is_no_answer_says_so_before_its_text(schema: dict[str, Any]) -> None:
    ends = [list(one["properties"]) for one in schema["anyOf"] if "final" in one["properties"]]
    assert ends == [["thought", "final"], ["thought", "clarify", "final"], ["thought", "unanswerable", "final"]]


def test_a_name_that_two_schemas_share_is_written_with_its_schema() -> None:
    tables = [Table(name, schema=schema) for schema, name in (("a", "t"), ("b", "t"), ("b", "only"), ("main", "own"))]
    names = Names.of(Catalogue("postgresql", (*tables, Table("own", schema="b")), default_schema="main"), [], {}, 8)
    assert names.tables == ("a.t", "b.t", "only", "b.only", "own", "main.own", "b.own")


def test_what_needs_a_column_is_not_offered_where_none_is_known() -> None:
    catalogue = Catalogue("sqlite", (Table("t", columns=(Column("id", "INTEGER"),)),))
    known = reply_schema(Names.of(catalogue, ["t"], {}, 8), results=0)
    assert operations(known) == {operation.name for operation in OPERATIONS}
    unknown = reply_schema(Names.of(catalogue, [], {}, 8), results=0)
    assert {"table_ref", "filter_expr", "limit", "execute"} <= operations(unknown)
    assert not {"select_columns", "aggregate", "order_by", "probe_values", "join_table"} & operations(unknown)
    assert "none" not in json.dumps(unknown)


def test_no_table_can_be_named_in_an_empty_database() -> None:
    schema = reply_schema(Names.of(Catalogue("sqlite", ()), [], {}, 8), results=0)
    assert "table_ref" not in operations(schema)
    jsonschema.validate({"thought": "", **json.loads(final("No tables.", unanswerable=True))}, schema)
