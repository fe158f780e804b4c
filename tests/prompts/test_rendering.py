"""Prompts are filled strictly."""

from __future__ import annotations

from importlib.resources import files

import pytest

from agents.prompts import PromptError, render, variables

NAMES = sorted(file.name.removesuffix(".md") for file in files("agents.prompts").iterdir() if file.name.endswith(".md"))
QUESTION = {"question": "How many?", "evidence": "", "today": "2026-11-30", "time_zone": "Europe/Lisbon"}


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_renders_with_exactly_its_variables(name: str) -> None:
    values = {variable: f"<{variable}>" for variable in variables(name)}
    text = render(name, **values)
    assert all(value in text for value in values.values())
    assert "{{" not in text
    with pytest.raises(PromptError, match="surplus|no place for"):
        render(name, **values, surplus="x")
    for missing in values:
        with pytest.raises(PromptError, match=missing):
            render(name, **{variable: value for variable, value in values.items() if variable != missing})


def test_an_unknown_prompt_is_an_error() -> None:
    for name in ("nothing", "../errors", "rendering.py"):
        with pytest.raises(PromptError, match="no prompt"):
            render(name)


def test_empty_optional_parts_leave_no_hole() -> None:
    text = render("react_question", earlier="", **QUESTION)
    assert text.startswith("Today is 2026-11-30")
    assert "\n\n\n" not in text
    assert render("react_question", earlier="Before: x", **QUESTION).startswith("Before: x\n\nToday")


def test_values_are_not_filled_in_again() -> None:
    text = render("react_question", earlier="", **{**QUESTION, "question": "What is {{today}}?"})
    assert "What is {{today}}?" in text


def test_the_system_prompt_holds_nothing_that_changes_between_turns_or_questions() -> None:
    for name in ("react_system", "react_sql_system", "lift_system", "sql_system"):
        assert not variables(name) & {"question", "evidence", "today", "time_zone", "earlier"}
    assert "{{schema}}" in files("agents.prompts").joinpath("react_system.md").read_text().rstrip().splitlines()[-1]
