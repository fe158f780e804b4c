"""`react-sql`: the same loop, but each act is one SQL statement: the paper's ablation "+ Iteration"."""

from __future__ import annotations

from typing import ClassVar

from agents.contracts import Answer, Task, Workbench
from agents.conversation import Conversation
from agents.loop import ReActLoop
from agents.strategies.answering import conclude
from agents.strategies.opening import react_sql_opening
from agents.strategies.statements import Statements


class ReactSQL:
    name: ClassVar[str] = "react-sql"

    def run(self, task: Task, bench: Workbench) -> Answer:
        conversation = Conversation(bench, react_sql_opening(task, bench), purpose="agent", name="agent")
        final = ReActLoop(bench, conversation, Statements(bench, unlifted=True)).run()
        return conclude(task, bench, final, conversation.transcript())


STRATEGY = ReactSQL()
