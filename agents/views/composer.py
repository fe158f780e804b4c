"""The composer: what it offers, and the suggestions below it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse

from agents import selectors
from agents.answers.follow_ups import follow_ups
from agents.answers.suggestions import suggest
from agents.library import feedback, search
from agents.library.search import Filters
from agents.llm import profiles
from agents.models import Run, Thread
from agents.strategies import STRATEGIES
from agents.views.results import shown_result
from connections import selectors as connection_selectors
from connections.catalogue import Catalogue
from connections.models import Connection, User

# Of a catalogue of thousands, the largest tables give enough questions to start from.
SUGGESTED_FROM = 200

FOLLOWED_ROWS = 200


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`value` is what the form sends: a stored model's key, or nothing for the site's own."""

    value: str
    name: str
    small: bool


@dataclass(frozen=True, slots=True)
class Again:
    """What a form for another attempt had chosen when it came back with an error: values as it sent them."""

    strategy: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Composer:
    """`model` is the chosen one's value; where it is not among `models`, the first is."""

    action: str
    placeholder: str
    connections: Sequence[Connection]
    connection: Connection | None
    models: Sequence[ModelChoice]
    model: str = ""
    large: bool = False
    live_run: UUID | None = None
    text: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    text: str
    why: str
    verified: bool = False


@dataclass(frozen=True, slots=True)
class Suggestions:
    title: str
    connection: Connection
    tables: int
    read_at: datetime | None
    items: Sequence[Suggestion]


def model_choices() -> list[ModelChoice]:
    """The stored models, the default first; without any, the model of the environment."""
    stored = [
        ModelChoice(str(model.pk), model.name, model.size == model.Size.SMALL) for model in selectors.language_models()
    ]
    if stored:
        return stored
    try:
        profile = profiles.from_environment(os.environ)
    except profiles.ProfileError:
        return [ModelChoice("", "No model is set", False)]
    return [ModelChoice("", profile.name, profile.size == "small")]


STRATEGY_WORDS = {
    "auto": "Steps as the model can", "react": "Steps, turn by turn", "react-sql": "SQL, turn by turn",
    "lift": "SQL drafts, lifted to steps", "reforce": "SQL drafts that vote",
    "iesr": "Search over ways to the SQL", "zero-shot": "One SQL draft",
}  # fmt: skip


def ask_again_choices(models: Sequence[ModelChoice], run: Run, chosen: Again) -> dict[str, Any]:
    """Strategies and models for another attempt; those of `run` are chosen unless the form said otherwise."""
    return {
        "strategies": [(name, STRATEGY_WORDS.get(name, name)) for name in STRATEGIES],
        "models": models,
        "strategy": chosen.strategy or run.strategy,
        "model": chosen.model or str(run.language_model_id or ""),
    }


def for_a_new_question(
    user: User, *, connection: Connection | None = None, model: str = "", text: str = "", error: str = ""
) -> tuple[Composer, Suggestions | None]:
    """The composer of the start page, and what it suggests for the chosen connection."""
    connections = list(connection_selectors.connections_to_ask(user))
    chosen = next((one for one in connections if connection is not None and one.pk == connection.pk), None)
    chosen = chosen or next(iter(connections), None)
    catalogue = connection_selectors.largest_tables(chosen, SUGGESTED_FROM) if chosen is not None else None
    shown = Composer(
        action=reverse("ask"), placeholder=_placeholder(catalogue), connections=connections, connection=chosen,
        models=model_choices(), model=model, large=True, text=text, error=error,
    )  # fmt: skip
    return shown, suggestions_for(user, chosen, catalogue) if chosen is not None else None


def for_a_thread(
    thread: Thread,
    runs: Sequence[Run],
    models: Sequence[ModelChoice],
    *,
    live: Run | None = None,
    model: str = "",
    text: str = "",
    error: str = "",
) -> Composer:
    """For somebody who may go on asking here, with the model that answered last unless the form said otherwise. `live`
    is the run that Stop ends."""
    latest = runs[-1]
    last_model = next((str(one.language_model_id) for one in reversed(runs) if one.language_model_id), "")
    return Composer(
        action=reverse("follow_up", args=[thread.pk]), placeholder=_next_placeholder(latest), connections=(),
        connection=thread.connection, models=models, model=model or last_model, live_run=live.pk if live else None,
        text=text, error=error,
    )  # fmt: skip


def follow_ups_for(run: Run) -> tuple[str, ...]:
    """What one may ask next of an answered run."""
    result = shown_result(run) if run.status == "answered" else None
    if result is None or result.expired:
        return ()
    connection = run.question.thread.connection
    values = connection is not None and connection.send_values
    return follow_ups(result.columns, result.rows(0, FOLLOWED_ROWS), values=values)


def _placeholder(catalogue: Catalogue | None) -> str:
    tables = sorted(catalogue.tables if catalogue else (), key=lambda table: -(table.row_estimate or 0))[:3]
    names = ", ".join(table.name.replace("_", " ") for table in tables)
    return f"Ask about {names}…" if names else "Ask a question"


def _next_placeholder(run: Run) -> str:
    if run.is_live:
        return "Write the next question"
    if run.status == "clarify":
        return "Answer in your own words"
    return "Ask a follow-up" if run.status == "answered" else "Say it in other words"


def suggestions_for(user: User, connection: Connection, catalogue: Catalogue | None) -> Suggestions:
    """Verified questions first, then some made from the catalogue without a model, then the person's own last ones."""
    snapshot = getattr(connection, "snapshot", None)
    trusted = [Suggestion(one.run.question.text, f"Verified by {one.by_name}", verified=True)
               for one in feedback.trusted(connection) if len(one.run.question.text) <= 240]  # fmt: skip
    asked = search.with_runs(search.found(user, Filters(show="mine", connection=connection.pk))[:2])
    texts = [run.question.text for run in asked]
    own = [Suggestion(text, "You asked this before") for text in texts if len(text) <= 120]
    made = [Suggestion(text, "Suggested for this connection") for text in (suggest(catalogue) if catalogue else ())]
    known = {one.text for one in trusted}
    own = [one for one in own if one.text not in known]
    items = [*trusted, *[one for one in made if one.text not in known][: 6 - len(own) - len(trusted)], *own]
    return Suggestions(
        "Questions to start from", connection, snapshot.table_count if snapshot else 0,
        snapshot.taken_at if snapshot else None, items,
    )  # fmt: skip
