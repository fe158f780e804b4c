"""Schema linking: one call in which the model names the tables and columns that a question needs, out of the compressed
schema, and the format of the answer. Without a reply that fits the database, the whole schema serves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.contracts import Task, Workbench
from agents.conversation import Conversation
from agents.dsl.names import nearest_hint, quoted, resolve_column
from agents.errors import MalformedReplyError, ModelCorrectableError, UnknownColumnError, UnknownTableError
from agents.llm.parsing import read_object
from agents.strategies.narrowing import Columns, narrowed
from agents.strategies.reforce.answer_format import AnswerFormat, read_format
from agents.strategies.reforce.openings import linking_opening
from agents.traces.events import Observation, Warned
from connections.catalogue import Catalogue, Table

LINKING_TRIES = 2


@dataclass(frozen=True, slots=True)
class Linked:
    """What a query needs of the catalogue, and the format of its answer, None where none was stated."""

    catalogue: Catalogue
    form: AnswerFormat | None = None


def link(task: Task, bench: Workbench) -> Linked:
    """One turn. Names that do not exist are told once, then the whole catalogue is linked."""
    turn = bench.budget.start_turn()
    conversation = Conversation(bench, linking_opening(task, bench), purpose="linking", name="linking")
    form: AnswerFormat | None = None
    reason = ""
    for _ in range(LINKING_TRIES):
        reply = conversation.ask(turn)
        try:
            said = read_object(reply.text, ("tables", "answer"), finish_reason=reply.finish_reason)
            form = read_format(said["answer"])
            linked = Linked(narrowed(bench.catalogue, read_tables(said["tables"], bench.catalogue)), form)
        except ModelCorrectableError as error:
            reason = f"{type(error).__name__}: {error}"
            conversation.tell(reason)
        else:
            bench.journal.emit(Observation(turn=turn, text=_told(linked)))
            return linked
    bench.journal.emit(Warned(turn=turn, text=f"no tables could be chosen, so the whole schema is used. {reason}"))
    bench.journal.emit(Observation(turn=turn, text=reason))
    return Linked(bench.catalogue, form)


def read_tables(said: Any, catalogue: Catalogue) -> Columns:
    """The columns that were named, by table; all of a table without any. Raises MalformedReplyError where nothing is
    named, UnknownTableError or UnknownColumnError telling all names that do not exist."""
    if isinstance(said, list):
        said = {name: [] for name in said if isinstance(name, str)}
    if not isinstance(said, Mapping) or not said:
        raise MalformedReplyError('"tables" names the tables that the query reads: {"table": ["column", …], …}.')
    named: dict[str, frozenset[str]] = {}
    wrong: list[ModelCorrectableError] = []
    for name, columns in said.items():
        try:
            table = _table(_plain(name), catalogue)
            named[table.qualified] = named.get(table.qualified, frozenset()) | _columns(columns, table)
        except (UnknownTableError, UnknownColumnError) as error:
            wrong.append(error)
    if wrong:
        raise type(wrong[0])(" ".join(map(str, wrong)))
    return named


def _table(name: str, catalogue: Catalogue) -> Table:
    found = catalogue.find(name)
    if len(found) == 1:
        return found[0]
    if found:
        candidates = ", ".join(table.qualified for table in found)
        raise UnknownTableError(f"The table {quoted(name)} may mean {candidates}; write one of them exactly.")
    known = dict.fromkeys(table.qualified if "." in name else table.name for table in catalogue.tables)
    hint = nearest_hint(name, known)
    raise UnknownTableError(f"There is no table {quoted(name)}.{hint}")


def _columns(said: Any, table: Table) -> frozenset[str]:
    names = [_plain(name) for name in said if isinstance(name, str)] if isinstance(said, list) else []
    if not names or "*" in names:
        return frozenset(table.by_name)
    found: set[str] = set()
    for name in names:
        try:
            found.add(resolve_column(name, table.by_name)[0])
        except UnknownColumnError as error:
            raise UnknownColumnError(f"In {table.qualified}: {error}") from None
    return frozenset(found)


def _plain(name: str) -> str:
    """A name without the quotes that SQL would need."""
    return name.replace('"', "").replace("`", "").strip()


def _told(linked: Linked) -> str:
    tables = [f"{table.qualified} ({', '.join(c.name for c in table.columns)})" for table in linked.catalogue.tables]
    form = linked.form.told() if linked.form is not None else ""
    return "\n".join(filter(None, [f"Linked: {'; '.join(tables)}.", form]))
