"""Prompts are files beside this one. `render` fills them strictly; `prompt_hash` names a version of them in traces."""

from agents.prompts.rendering import PromptError, prompt_hash, render, variables

__all__ = ["PromptError", "prompt_hash", "render", "variables"]
