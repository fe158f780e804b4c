"""`auto`: the loop for models that compose operations themselves, lifted SQL for small ones."""

from __future__ import annotations

from typing import ClassVar

from agents.contracts import Answer, Task, Workbench
from agents.strategies.lift import Lift
from agents.strategies.react import React


class Auto:
    name: ClassVar[str] = "auto"

    def run(self, task: Task, bench: Workbench) -> Answer:
        chosen = Lift() if bench.model.profile.size == "small" else React()
        return chosen.run(task, bench)


STRATEGY = Auto()
