"""How long it takes to choose what a model is told of a database with 5,000 tables."""

from __future__ import annotations

import time
from collections.abc import Iterator

from agents.prompts.layouts import brief
from agents.prompts.schema_text import schema_text
from tests.prompts.test_schema_text import large

TABLES, BUDGET = 5_000, 12_000
QUESTIONS = ("How many vessels lie in the harbour?", "costumers with invoyces")


def report() -> Iterator[str]:
    catalogue = large(TABLES)
    yield f"Schema prompt of {len(catalogue.tables):,} tables within {BUDGET:,} tokens"
    for question in QUESTIONS:
        started = time.process_time()
        shown = schema_text(catalogue, question, budget=BUDGET, layout=brief)
        ms = (time.process_time() - started) * 1000
        yield f"  {question:<40} {ms:>6.0f} ms of processor time, {shown.tokens:,} tokens, {len(shown.shown)} in full"
