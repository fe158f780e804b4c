"""Prompts are files beside this one, which `render` fills strictly."""

from agents.prompts.rendering import PromptError, render, variables

__all__ = ["PromptError", "render", "variables"]
