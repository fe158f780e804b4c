"""The Steps tab: the program as a list with rows in and out, and its picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from agents.answers.graph import Step, draw, steps_of
from agents.answers.highlight import json_pieces
from agents.answers.program import tables_of
from agents.answers.step_form import Section, editable, form_of
from agents.answers.turns import CallLine
from agents.answers.wording import Phrase, plain, say, spoken
from agents.templatetags.answers import call_rows, count

if TYPE_CHECKING:
    from agents.views.result_object import View


@dataclass(frozen=True, slots=True)
class StepLine:
    number: int
    phrase: Phrase
    handle: str
    rows: Any
    url: str
    current: bool
    columns: Sequence[Mapping[str, Any]] = ()
    ms: float | None = None
    trace_key: str = ""
    pieces: Sequence[tuple[str, str]] = ()
    rows_url: str = ""
    sections: Sequence[Section] = ()


def steps_panel(view: View) -> dict[str, Any]:
    program = _with_execute(view)
    steps = steps_of(program)
    current = view.number("step") or None
    lines = _lines_of(view, steps)
    names: dict[str, str] = {}
    shown = []
    for step in steps:
        shown.append(_step_line(view, step, lines.get(step.number), names, current))
        if step.call.get("out"):
            names[str(step.call["out"])] = spoken(step.call, names)
    return {
        "steps": shown,
        "names": _input_columns(steps, lines, current),
        "tables": tables_of(program),
        "ms": view.result.ms,
        "graph": _picture(steps, shown, lines, current),
        "program": json.dumps(program, indent=2, ensure_ascii=False),
    }


def _with_execute(view: View) -> Sequence[Mapping[str, Any]]:
    """The program ends with the execute that made the result."""
    program: list[Mapping[str, Any]] = list(view.run.steps)
    handle = next((str(call["out"]) for call in reversed(program) if call.get("out")), "")
    if view.result.stored is None or not handle or program[-1].get("op") == "execute":
        return program
    return [*program, {"op": "execute", "args": {"rel": handle}}]


def _step_line(
    view: View, step: Step, line: CallLine | None, names: Mapping[str, str], current: int | None
) -> StepLine:
    here = step.number == current
    is_result = step.kind == "res"
    result = view.result.number if is_result and view.result.stored is not None else None
    return StepLine(
        number=step.number,
        phrase=say(step.call, "wait", names, result=result),
        handle=step.name,
        rows=call_rows(line) if line is not None else "",
        url=view.url("steps") if here else view.url("steps", step=step.number),
        current=here,
        columns=line.columns if line is not None else (),
        ms=line.ms if line is not None else None,
        trace_key=line.key if line is not None else "",
        pieces=json_pieces(json.dumps(step.call, indent=2, ensure_ascii=False)) if here else (),
        rows_url=reverse("step_rows", args=[view.run.pk, step.number]) if here and not is_result else "",
        sections=form_of(step.call, list(names)) if here and view.may_ask and editable(step.call) else (),
    )


def _input_columns(steps: Sequence[Step], lines: Mapping[int, CallLine], current: int | None) -> list[str]:
    """The columns of what the chosen step reads, to be offered while one writes."""
    inputs = next((step.inputs for step in steps if step.number == current), ())
    columns = (column for number in inputs if number in lines for column in lines[number].columns)
    return list(dict.fromkeys(str(column.get("name", "")) for column in columns))


def _call_key(call: Mapping[str, Any]) -> str:
    return json.dumps({name: call.get(name) for name in ("op", "args", "out")}, sort_keys=True, default=str)


def _lines_of(view: View, steps: Sequence[Step]) -> dict[int, CallLine]:
    """By step, the newest line of the run that is the same call; the last step is the one that made the result."""
    found: dict[str, CallLine] = {}
    result: CallLine | None = None
    for line in (line for turn in view.transcript.turns for line in turn.calls):
        if line.state in ("ok", "warn"):
            found[_call_key({**line.call, "out": line.handle or line.call.get("out")})] = line
            found[_call_key(line.call)] = line
            result = line if line.result == view.result.number else result
    lines = {step.number: result if step.kind == "res" else found.get(_call_key(step.call)) for step in steps}
    return {number: line for number, line in lines.items() if line is not None}


def _picture(
    steps: Sequence[Step], shown: Sequence[StepLine], ran: Mapping[int, CallLine], current: int | None
) -> dict[str, Any] | None:
    graph = draw(steps, current)
    if graph is None:
        return None
    lines = {line.number: line for line in shown}
    nodes = []
    for node in graph.nodes:
        line, words = ran.get(node.number), plain(lines[node.number].phrase)
        known = count(line.rows_out, line.rows_exact) if line is not None and line.rows_out is not None else ""
        label = f"{node.name}{f' {known} rows' if known else ''}: {words}"
        nodes.append({
            "number": node.number, "name": node.name, "kind": node.kind, "x": node.x, "y": node.y,
            "middle": node.middle, "rows_y": node.rows_y, "rows": known,
            "name_y": node.name_y if known else node.y + 22,
            "url": lines[node.number].url, "current": node.number == current, "label": label,
        })  # fmt: skip
    return {
        "nodes": nodes, "edges": graph.edges, "width": graph.width, "height": graph.height,
        "node_width": graph.node_width, "node_height": graph.node_height,
    }  # fmt: skip
