"""What the product remembers: models that answer, questions, runs with their events, results, what teams do with
answers, and how right they were."""

from agents.models.collection import Cadence, Collection, SavedQuestion, SavedRun
from agents.models.discussion import Comment, Notice
from agents.models.evaluation import (
    CaseState,
    Evaluation,
    EvaluationCase,
    EvaluationQuestion,
    EvaluationState,
    EvaluationSystem,
)
from agents.models.feedback import Feedback, Reason, RegressionQuestion, Review, Verification
from agents.models.language_model import LanguageModel
from agents.models.live import LiveThought, WorkerBeat
from agents.models.question import Question, Thread
from agents.models.result import StoredResult
from agents.models.run import LIVE, Run, RunEvent, Status
from agents.models.search import SavedFilter, SearchEntry
from agents.models.share import Share
from agents.models.usage import Cap, UsageEntry

__all__ = [
    "LIVE", "Cadence", "Cap", "CaseState", "Collection", "Comment", "Evaluation", "EvaluationCase",
    "EvaluationQuestion", "EvaluationState", "EvaluationSystem", "Feedback", "LanguageModel", "LiveThought", "Notice",
    "Question", "Reason", "RegressionQuestion", "Review", "Run", "RunEvent", "SavedFilter", "SavedQuestion", "SavedRun",
    "SearchEntry", "Share", "Status", "StoredResult", "Thread", "UsageEntry", "Verification", "WorkerBeat",
]  # fmt: skip
