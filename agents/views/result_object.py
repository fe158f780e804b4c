"""The one object that proves an answer: tabs Answer, Table, Chart, Steps, SQL over the stored result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.urls import reverse

from agents import permissions
from agents.answers.transcript import Transcript
from agents.models import Run
from agents.views import panels
from agents.views.composer import Again, ModelChoice, ask_again_choices
from agents.views.results import ShownResult, shown_result
from connections.models import User

TABS = {"answer": "Answer", "table": "Table", "chart": "Chart", "steps": "Steps", "sql": "SQL"}
FORMATS = {"csv": "CSV", "xlsx": "Excel", "parquet": "Parquet", "json": "JSON"}


@dataclass(frozen=True, slots=True)
class Tab:
    key: str
    name: str
    selected: bool


@dataclass(frozen=True, slots=True)
class Export:
    key: str
    name: str
    note: str


@dataclass(frozen=True)
class View:
    """What a panel is built from. `params` is the query string: page, sort, chart options, the chosen step.

    `load` reads the run's events; only the panels that need them pay for it.
    """

    run: Run
    result: ShownResult
    load: Callable[[], Transcript]
    prefix: str
    params: Mapping[str, str]
    may_ask: bool = False

    @cached_property
    def transcript(self) -> Transcript:
        return self.load()

    @property
    def table_id(self) -> str:
        return f"{self.prefix}result-{self.result.number}-table"

    def number(self, name: str) -> int:
        """A whole number of the query string; 0 when it is missing or no number."""
        text = self.params.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    def url(self, tab: str, **params: object) -> str:
        query = "&".join(f"{name}={value}" for name, value in {"tab": tab, **params}.items())
        return f"{reverse('run', args=[self.run.pk])}?{query}"


def context_of(
    user: User,
    params: Mapping[str, str],
    run: Run,
    load: Callable[[], Transcript],
    prefix: str,
    models: Sequence[ModelChoice] | None = None,
    again: Again = Again(),  # noqa: B008  (frozen)
) -> dict[str, Any]:
    """`result` and the rest that result.html needs; `result` is None for an answer that is a sentence only. `models`
    are those that `user` may ask again with, None for who may not; `again` is what was chosen of them."""
    result = shown_result(run)
    if result is None:
        return {"result": None}
    may_ask = models is not None
    view = View(run, result, load, prefix, params, may_ask)
    offered = [key for key in TABS if key not in _missing(run)]
    tab = params.get("tab", "")
    tab = tab if tab in offered else "table" if result.row_count and result.row_count > 1 else "answer"
    return {
        "result": result,
        "tab": tab,
        "tabs": [Tab(key, TABS[key], key == tab) for key in offered],
        "panel_template": f"agents/parts/panel_{tab}.html",
        "panel": panels.PANELS[tab](view),
        "exports": _exports(result),
        "full_limit": _full_limit(result),
        "full_exports": FORMATS if result.truncated and run.sql and permissions.may_run_again(user, run) else {},
        "may_ask": may_ask,
        "again": ask_again_choices(models, run, again) if models is not None else {},
        "tokens": run.input_tokens + run.output_tokens,
    }


def _full_limit(result: ShownResult) -> int:
    """The most rows that an export of all would hold, where there may be more; else 0."""
    most: int = settings.EXPORT_ROWS
    return 0 if result.row_count is not None and result.row_count_exact and result.row_count <= most else most


def _missing(run: Run) -> set[str]:
    return {*(() if run.steps else ("steps",)), *(() if run.sql else ("sql",))}


def _exports(result: ShownResult) -> list[Export]:
    if result.expired:
        return []
    return [Export(key, name, f"{result.rows_stored:,} stored rows") for key, name in FORMATS.items()]
