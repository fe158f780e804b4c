"""What the product remembers: models that answer, questions, runs with their events, results."""

from agents.models.language_model import LanguageModel
from agents.models.live import LiveThought, WorkerBeat
from agents.models.question import Question, Thread
from agents.models.result import StoredResult
from agents.models.run import LIVE, Run, RunEvent, Status
from agents.models.share import Share

__all__ = [
    "LIVE", "LanguageModel", "LiveThought", "Question", "Run", "RunEvent", "Share", "Status", "StoredResult", "Thread",
    "WorkerBeat",
]  # fmt: skip
