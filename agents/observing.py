"""How what happened is written down: an outcome as an event, and a batch of events as what the model is told next.

Compact and stable: the same facts always read the same. Previews are cut to the budget of tokens, line by line; what
failed and which handles live is always told.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agents.dsl.names import quoted
from agents.dsl.relation import Relation
from agents.engine.observations import count_text
from agents.engine.outcomes import Outcome, Result
from agents.traces.events import CallResult
from connections.contracts import ResultColumn
from connections.values import to_cell

PREVIEW_ROWS = 50
"""Rows of an execute that the trace keeps; the whole result is stored apart."""

CHARACTERS_PER_TOKEN = 3
"""A safe estimate for text that is full of names and numbers."""

_BETWEEN_ITEMS = re.compile(r", (?![^()]*\))")  # and not inside NUMERIC(10, 2)

LISTED_COLUMNS = 40

REPEATED_COLUMNS = 12
"""A relation with more is not listed again where another one keeps them all."""


def call_result(turn: int, index: int, outcome: Outcome, results: Sequence[Result]) -> CallResult:
    """The event of one outcome; an execute brings the head of its result along."""
    error = outcome.error
    event = CallResult(
        turn=turn,
        index=index,
        call=outcome.call,
        state="ok" if outcome.ok else "failed",
        handle=outcome.handle,
        columns=tuple({"name": name, "type": kind} for name, kind in outcome.columns),
        text=outcome.text,
        warnings=tuple(outcome.warnings),
        error=None if error is None else {"type": error.type, "message": error.message},
        ms=round(outcome.ms, 2),
    )
    result = next((result for result in results if result.number == outcome.result), None)
    return event if result is None else _with_result(event, result)


def _with_result(event: CallResult, result: Result) -> CallResult:
    return replace(
        event,
        result=result.number,
        row_count=result.row_count,
        row_count_exact=result.row_count_exact,
        truncated=result.truncated,
        preview=tuple(tuple(to_cell(value) for value in row) for row in result.rows[:PREVIEW_ROWS]),
        sql=result.sql,
    )


def result_of(event: CallResult) -> Result | None:
    """The result that the event of an execute tells of, as far as it does: the head of the rows, as JSON cells."""
    if event.result is None:
        return None
    count = len(event.preview) if event.row_count is None else event.row_count
    return Result(
        number=event.result,
        handle=event.handle,
        columns=tuple(ResultColumn(column["name"], column["type"]) for column in event.columns),
        rows=event.preview,
        row_count=count,
        row_count_exact=event.row_count_exact,
        truncated=event.truncated or count > len(event.preview),
        sql=event.sql,
        ms=event.ms,
    )


def observation_text(
    results: Sequence[CallResult],
    counted: Mapping[int, int],
    warnings: Sequence[str],
    notes: Sequence[str],
    handles: Mapping[str, Relation],
    tokens: int,
) -> str:
    """What the model is told after a batch. `counted` are rows by the call's index, as far as they were counted in
    time."""
    told = [_told(result, counted) for result in results]
    parts = shortened(told, tokens * CHARACTERS_PER_TOKEN)
    whole = {r.handle: part == said for r, part, said in zip(results, parts, told, strict=True) if _makes(r)}
    parts += [f"warning: {warning}" for warning in warnings]
    if notes:
        parts.append("Your reply was read with these notes: " + "; ".join(notes) + ".")
    return "\n".join([*parts, *_live(handles, {handle for handle, is_whole in whole.items() if is_whole})])


def _makes(result: CallResult) -> bool:
    return result.state == "ok" and result.result is None


def _told(result: CallResult, counted: Mapping[int, int]) -> str:
    head = f"{result.index + 1}. {result.call.get('op', '?')}"
    if result.error is not None:
        return f"{head} FAILED: {result.error['type']}: {result.error['message']}"
    if result.state == "skipped":
        return f"{head} was skipped: {result.text}."
    told = result.result is None and result.index in counted  # a result says its rows itself
    rows = f" ({count_text(counted[result.index])})" if told else ""
    warnings = "".join(f"\nwarning: {warning}" for warning in result.warnings)
    return f"{head} ok{rows}: {result.text}{warnings}"


def _live(handles: Mapping[str, Relation], told: Collection[str]) -> list[str]:
    """Every live handle. The columns of those that were `told` in this turn stand with their calls already."""
    lines = [_handle(name, handles) for name in handles if name not in told]
    if new := ", ".join(quoted(name) for name in handles if name in told):
        lines.append(f"- with the columns told above: {new}")
    return ["Live handles:", *lines] if lines else []


def _handle(name: str, handles: Mapping[str, Relation]) -> str:
    """Its columns; of one with many, only those that come behind the columns of its source."""
    relation = handles[name]
    names = [quoted(column) for column in relation.columns]
    source = relation.inputs[0] if relation.inputs else None
    if source is not None and len(source.columns) > REPEATED_COLUMNS and handles.get(source.handle) is source:
        known = [quoted(column) for column in source.columns]
        if names[: len(known)] == known:
            return f"- {quoted(name)}: {', '.join([f'the columns of {quoted(source.handle)}', *names[len(known) :]])}"
    more = f", and {len(names) - LISTED_COLUMNS} more" if len(names) > LISTED_COLUMNS else ""
    return f"- {quoted(name)}: {', '.join(names[:LISTED_COLUMNS])}{more}"


def shortened(texts: Sequence[str], limit: int) -> list[str]:
    """The texts within `limit` characters together: the longest are cut to one common length, at line ends, and where
    the first line is longer than that, between two of its items."""
    if sum(map(len, texts)) <= limit:
        return list(texts)
    left, length = limit, 0
    for done, size in enumerate(sorted(map(len, texts))):
        length = left // (len(texts) - done)
        if size > length:
            break
        left -= size
    return [text if len(text) <= length else _cut(text, length) for text in texts]


def _cut(text: str, length: int) -> str:
    head, at_line_end, _ = text[:length].rpartition("\n")
    if not at_line_end:
        return _cut_line(text, length)
    left_out = text.count("\n") - head.count("\n")
    return f"{head}\n… ({left_out} more lines left out)"


def _cut_line(text: str, length: int) -> str:
    """The first line as far as its items are whole: half a name of a column reads like a name."""
    line, _, rest = text.partition("\n")
    ends = [found.start() for found in _BETWEEN_ITEMS.finditer(line)]
    end = max((end for end in ends if end <= length), default=length)
    items = sum(other >= end for other in ends) or 1
    lines = f" and {rest.count(chr(10)) + 1} more lines" if rest else ""
    return f"{line[:end]}\n… ({items} more {'item' if items == 1 else 'items'} of this line{lines} left out)"
