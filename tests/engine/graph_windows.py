"""Random window calls whose values the rows alone decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.engine.graph_expressions import DECIMAL, EXACT, INT, KEYS, ROUNDED, Draw, of
from tests.engine.reference import FOLLOWING_ORDER

RANKS = ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile")
# With a partial order these give peers the same value.
PEERS_ALIKE = ("rank", "dense_rank", "percent_rank", "cume_dist", "sum", "count", "min", "max", "avg")
FRAMES = (
    "rows between 1 preceding and 1 following", "rows 2 preceding", "rows unbounded preceding",
    "rows between current row and unbounded following", "rows between 2 preceding and current row",
    "rows between unbounded preceding and unbounded following",
)  # fmt: skip
FRAMED = ("first_value", "last_value", "sum", "count", "min", "max", "avg")


def window_arguments(
    draw: Draw, kinds: Mapping[str, str], total_order: bool, *, running: bool = False
) -> tuple[dict[str, Any], str] | None:
    """The arguments beside `rel` and `name`, and the kind of the new column; None where no column fits.

    `total_order`: the relation is ordered over all columns, so that a call may follow that order; with `running` it has
    a frame and does.
    """
    fn = draw(st.sampled_from(FRAMED if running else [*RANKS, "lag", "lag", "lead", "lead", *FRAMED]))
    partition = draw(st.lists(st.sampled_from(of(kinds, *EXACT)), max_size=2, unique=True))
    args: dict[str, Any] = {"fn": fn, "partition_by": partition}
    kind = INT if fn not in ("percent_rank", "cume_dist", "avg") else ROUNDED
    if fn not in RANKS:
        columns = of(kinds, INT, DECIMAL) if fn in ("sum", "avg") else of(kinds, *KEYS)
        if fn == "count" and draw(st.booleans()):
            args["column"] = "*"
        elif not columns:
            return None
        else:
            args["column"] = draw(st.sampled_from(columns))
            kind = kind if fn in ("count", "avg") else kinds[args["column"]]
    framed = running or (fn in FRAMED and draw(st.booleans()))
    if framed:
        args["frame"] = draw(st.sampled_from(FRAMES))
    follows = total_order and (framed or fn in FOLLOWING_ORDER)
    if not (follows and (running or draw(st.booleans()))):
        args |= _order(draw, kinds, fn, framed=framed)
    return args | _extras(draw, fn, kind), kind


def _order(draw: Draw, kinds: Mapping[str, str], fn: str, *, framed: bool) -> dict[str, Any]:
    """Over all columns, unless peers get the same value anyway; then over some, or none where the call bears that."""
    alike = fn in PEERS_ALIKE and not framed
    some = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=2, unique=True))
    names = some if alike else draw(st.permutations(list(kinds)))
    if alike and fn not in RANKS and draw(st.booleans()):
        return {}
    return {"order_by": [[name, draw(st.sampled_from(["asc", "desc"])), *_nulls(draw)] for name in names]}


def _nulls(draw: Draw) -> list[str]:
    return draw(st.sampled_from([[], [], ["nulls_first"], ["nulls_last"]]))


def _extras(draw: Draw, fn: str, kind: str) -> dict[str, Any]:
    if fn == "ntile":
        return {"n": draw(st.integers(1, 3))}
    if fn not in ("lag", "lead"):
        return {}
    extras: dict[str, Any] = {"offset": draw(st.integers(0, 2))} if draw(st.booleans()) else {}
    if kind == INT and draw(st.booleans()):
        extras["default"] = -1
    return extras
