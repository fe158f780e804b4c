"""Calls in the tool formats that families of models are trained on, rewritten as the JSON that the protocol asks for.

Servers usually take these out of a reply; where one does not know the format, it leaves them in the text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from agents.errors import MalformedReplyError
from agents.llm.parsing.loading import UnreadableJSONError, load
from agents.llm.parsing.preamble import outside_json
from agents.llm.parsing.spans import partner

_NAME = r"[A-Za-z_][\w.]{0,80}"
# Llama and Qwen, Mistral, two of DeepSeek, GLM.
_HEAD = re.compile(
    rf"<function=(?P<a>{_NAME})>"
    rf"|\[TOOL_CALLS\]\s*(?P<b>{_NAME})\s*(?:\[CALL_ID\]\s*\w+\s*)?\[ARGS\]"
    rf"|(?:function)?<｜tool▁sep｜>\s*(?P<c>{_NAME})\s*(?:```(?:json)?)?(?=\s*\{{)"
    rf"|(?P<d>{_NAME})\s*<｜tool▁sep｜>"
    rf"|<tool_call>\s*(?P<e>{_NAME})\s*(?=<arg_key>)"
)
_OBJECT = re.compile(r"\s*\{")
_PARAMETER = re.compile(
    r"\s*(?:<parameter=(?P<tag>[\w.]+)>(?P<said>.*?)</parameter>"
    r"|<arg_key>\s*(?P<key>[\w.]+)\s*</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>)",
    re.DOTALL,
)
_END = re.compile(r"\s*(?:</function>|</tool_call>)")
_MARKS = re.compile(r"(?:\s|</function>|<｜tool[^｜>]{1,30}｜>|```(?:json)?)*")  # behind a call and before the next
_JSON_VALUES = ("[", "{", '"')


def as_json(text: str) -> str:
    """`text` with such calls as {"op", "args"}. Raises MalformedReplyError when one is not complete: what stands
    around it may then be a part of it."""
    written: list[str] = []
    position = 0
    for head in outside_json(_HEAD, text, 0):
        if head.start() < position:
            continue
        name = next(name for name in head.groups() if name)
        arguments, end = _arguments(name, text, head.end())
        written += [text[position : head.start()], f'{{"op": {json.dumps(name)}, "args": {arguments}}}\n']
        marks = _MARKS.match(text, end)
        position = marks.end() if marks else end
    return "".join([*written, text[position:]]) if written else text


def _arguments(name: str, text: str, start: int) -> tuple[str, int]:
    """The arguments that stand at `start` as JSON, and where they end."""
    if opening := _OBJECT.match(text, start):
        end = partner(text, opening.end() - 1)
        if end is None:
            raise _incomplete(name)
        return text[opening.end() - 1 : end], end
    found: dict[str, Any] = {}
    while parameter := _PARAMETER.match(text, start):
        key = parameter["tag"] or parameter["key"]
        if key in found:
            raise MalformedReplyError(f"`{key}` of {name} is given twice. Your reply was not run.")
        found[key] = _value((parameter["said"] or parameter["value"] or "").strip())
        start = parameter.end()
    if not _END.match(text, start):
        raise _incomplete(name)
    return json.dumps(found), start


def _value(said: str) -> Any:
    """A list, an object or a literal where it is one, else the text; numbers are the language's to read."""
    if said.startswith(_JSON_VALUES) or said in ("true", "false", "null"):
        try:
            return load(said)[0]
        except UnreadableJSONError:
            return said
    return said


def _incomplete(name: str) -> MalformedReplyError:
    return MalformedReplyError(
        f"The call of {name} in your reply is not complete, so nothing of it was run. Calls are one JSON array: "
        '[{"op": "…", "args": {…}, "out": "…"}].'
    )
