"""What is left of a schema: names and values that the question says, the model's choice, keys and ways between."""

from __future__ import annotations

from agents.strategies.iesr.linking import StoredMatch, chosen_of, link, stored_matches
from connections.catalogue import Catalogue, Column, ForeignKey, Table


def table(name: str, columns: str, *keys: tuple[str, str], more: int = 0) -> Table:
    named = [*columns.split(), *(f"x{number}" for number in range(more))]
    return Table(
        name,
        columns=tuple(Column(one, "TEXT") for one in named),
        primary_key=("id",),
        foreign_keys=tuple(ForeignKey((column,), None, target, ("id",)) for column, target in keys),
    )


WIDE = Catalogue(
    "sqlite",
    (
        table("regions", "id label", more=20),
        table("customers", "id full_name region_id", ("region_id", "regions"), more=20),
        table("orders", "id customer_id status", ("customer_id", "customers"), more=20),
        table("employees", "id salary", more=20),
    ),
)


def columns_of(catalogue: Catalogue) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in catalogue.tables}


def test_words_find_names_that_are_spelled_nearly_alike() -> None:
    linked = link(WIDE, ["salaries"], {}, {})
    assert columns_of(linked.catalogue) == {"employees": ["id", "salary"]}


def test_the_models_choice_is_united_with_the_words() -> None:
    linked = link(WIDE, ["salary"], {"orders": ("status",)}, {})
    assert columns_of(linked.catalogue) == {"orders": ["id", "status"], "employees": ["id", "salary"]}


def test_the_tables_between_two_linked_ones_come_with_their_keys() -> None:
    linked = link(WIDE, [], {"regions": ("label",), "orders": ("status",)}, {})
    assert columns_of(linked.catalogue) == {
        "regions": ["id", "label"],
        "customers": ["id", "region_id"],
        "orders": ["id", "customer_id", "status"],
    }
    assert [key.target_table for one in linked.catalogue.tables for key in one.foreign_keys] == ["regions", "customers"]


def test_foreign_keys_to_what_is_left_out_are_left_out() -> None:
    linked = link(WIDE, [], {"orders": ("status",)}, {})
    assert columns_of(linked.catalogue) == {"orders": ["id", "status"]}
    assert linked.catalogue.tables[0].foreign_keys == ()


def test_a_stored_value_links_its_column() -> None:
    texts = {"orders": {"status": ["paid", "open"]}, "regions": {"label": ["North"]}}
    linked = link(WIDE, ["the order that was Paid"], {}, texts)
    assert linked.values == (StoredMatch("orders", "status", "paid"),)
    assert "status" in columns_of(linked.catalogue)["orders"]
    assert linked.text() == "orders.status holds 'paid'"


def test_the_nearest_stored_value_comes_first() -> None:
    found = stored_matches(["Norht", "North"], {"regions": {"label": ["Norh", "North", "South"]}})
    assert found[0].value == "North"
    assert "South" not in [match.value for match in found]


def test_a_small_table_is_shown_whole() -> None:
    small = Catalogue("sqlite", (table("orders", "id status total"),))
    assert columns_of(link(small, ["orders"], {}, {}).catalogue) == {"orders": ["id", "status", "total"]}


def test_nothing_found_leaves_everything() -> None:
    assert link(WIDE, ["volcano"], {}, {}).catalogue == WIDE


def test_of_the_models_choice_only_what_exists_counts() -> None:
    read = {"Orders": ["STATUS", "colour"], "planets": ["mass"], "employees": None}
    assert chosen_of(read, WIDE) == {"orders": ("status",), "employees": ()}
    assert chosen_of(["orders"], WIDE) == {"orders": ()}
    assert chosen_of("orders", WIDE) == {}


def test_a_name_that_every_table_has_does_not_link_a_whole_schema() -> None:
    many = Catalogue("sqlite", tuple(table(f"t{number}", "id name", more=20) for number in range(200)))
    assert len(link(many, ["name"], {}, {}).catalogue.tables) <= 20
