"""Reading what a model wrote. `read_reply` for calls and final signals, `read_sql` for SQL, `read_queries` for several,
`read_object` and `read_objects` for JSON."""

from agents.llm.parsing.final import Final, citations
from agents.llm.parsing.objects import read_object, read_objects
from agents.llm.parsing.reply import HOW_TO_REPLY, Parsed, read_reply
from agents.llm.parsing.sql import read_queries, read_sql

__all__ = [
    "HOW_TO_REPLY", "Final", "Parsed", "citations", "read_object", "read_objects", "read_queries", "read_reply",
    "read_sql",
]  # fmt: skip
