"""From a final signal to the answer that people see.

With `shaping` "auto" the light call to the shaper is left out when the final cites exactly one result: that result is
the table and the sentence is the text. Whatever the shaper says is checked (answers/shaping.py); where it cannot be
used, the answer is a result that was cited, never something made up.
"""

from __future__ import annotations

from agents.answers.sentence import told
from agents.answers.shaping import Shape, read_shape
from agents.contracts import Answer, Task, Workbench
from agents.conversation import Conversation
from agents.errors import NO_MORE_REPLIES, ModelCorrectableError
from agents.strategies.opening import shaper_opening
from agents.traces.events import Final, Warned

SHAPING_TRIES = 2


def conclude(task: Task, bench: Workbench, final: Final, thoughts: str = "") -> Answer:
    """The answer that `final` stands for. `thoughts` is what the model said on the way, for the shaper."""
    results = bench.engine.results
    if final.outcome == "clarify":
        return Answer("clarify", told(final.text, results), options=final.options)
    if final.outcome == "unanswerable":
        return Answer("unanswerable", told(final.text, results))
    if not results:
        return Answer("answered", final.text)
    if bench.settings.shaping == "auto" and len(final.cites) == 1:
        shape = Shape(final.text, final.cites[0], None, final.cites)
    else:
        shape = _shape(task, bench, final, thoughts)
    return Answer("answered", told(shape.text, results), shape.result, shape.table, shape.sources)


def _shape(task: Task, bench: Workbench, final: Final, thoughts: str) -> Shape:
    try:
        conversation = Conversation(
            bench, shaper_opening(task, bench, final.text, thoughts), purpose="shaper", name="shaper"
        )
        for _ in range(SHAPING_TRIES):
            reply = conversation.ask(final.turn)
            try:
                return read_shape(reply.text, final.text, bench.engine.results, finish_reason=reply.finish_reason)
            except ModelCorrectableError as error:
                reason = str(error)
                conversation.tell(f"{type(error).__name__}: {error}")
    except NO_MORE_REPLIES as error:
        reason = str(error)
    return _as_cited(bench, final, reason)


def _as_cited(bench: Workbench, final: Final, reason: str) -> Shape:
    """The result that the final cites last, or the last one there is."""
    number = final.cites[-1] if final.cites else bench.engine.results[-1].number
    text = f"The answer could not be put together, so result {number} is shown as it is: {reason}"
    bench.journal.emit(Warned(turn=final.turn, text=text))
    return Shape(final.text, number, None, final.cites or (number,))
