"""How pages write phrases, rows, times, costs and cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from agents.answers.cells import Cell, shown
from agents.answers.failures import error_in_words
from agents.answers.highlight import Piece
from agents.answers.turns import CallLine
from agents.answers.wording import Phrase, plain

register = template.Library()


@register.filter
def phrase(words: Phrase) -> SafeString:
    """A phrase with its code marked up."""
    return mark_safe("".join(f"<code>{escape(word.text)}</code>" if word.code else escape(word.text) for word in words))  # noqa: S308


@register.filter
def phrase_text(words: Phrase) -> str:
    return plain(words)


_MARKS = re.compile(r"(\*\*[^*\n]+\*\*|`[^`\n]+`)")


@register.filter
def marked(sentence: str) -> SafeString:
    """A sentence of the model: **bold** and `code` are marked up, everything else is shown as it is."""
    return format_html_join("", "{}", ((_mark(part),) for part in _MARKS.split(sentence)))


def _mark(part: str) -> str:
    if part.startswith("**") and part.endswith("**") and len(part) > 4:
        return format_html("<strong>{}</strong>", part[2:-2])
    if part.startswith("`") and part.endswith("`") and len(part) > 2:
        return format_html("<code>{}</code>", part[1:-1])
    return part


@register.filter
def pieces(marked_text: Iterable[Piece]) -> SafeString:
    """Highlighted code."""
    return mark_safe(  # noqa: S308
        "".join(
            f'<span class="{name}">{escape(value)}</span>' if name else escape(value) for name, value in marked_text
        )
    )


ARROW = mark_safe(' <span class="arrow">\u2192</span> ')  # noqa: S308


@register.filter
def call_rows(line: CallLine) -> SafeString | str:
    """Rows in and out of a call: "48 → 17 rows", "first 500 of 1,214 rows", "not run"."""
    if line.state == "err":
        return "not run"
    if line.state == "skip":
        return "skipped"
    if line.rows_out is None:
        return ""
    if line.truncated and line.shown_rows:
        return f"first {line.shown_rows:,} of {count(line.rows_out, line.rows_exact)} rows"
    out = f"{count(line.rows_out, line.rows_exact)} {'row' if line.rows_out == 1 else 'rows'}"
    return out if line.rows_in is None else format_html("{}{}{}", f"{line.rows_in:,}", ARROW, out)


MOST_COLUMNS = 40


@register.filter
def column_names(columns: Sequence[Mapping[str, Any]]) -> SafeString:
    """The first names, as code."""
    names = format_html_join(", ", "<code>{}</code>", ((column["name"],) for column in columns[:MOST_COLUMNS]))
    return names if len(columns) <= MOST_COLUMNS else format_html("{}, …", names)


@register.filter
def short_rows(line: CallLine) -> SafeString | str:
    """As `call_rows`, without the word, for the narrow column of the trace."""
    if line.rows_out is None or line.state in ("err", "skip") or (line.truncated and line.shown_rows):
        return call_rows(line)
    out = count(line.rows_out, line.rows_exact)
    return out if line.rows_in is None else format_html("{}{}{}", f"{line.rows_in:,}", ARROW, out)


def count(rows: int, exact: bool = True) -> str:
    return f"{rows:,}" if exact else f"at least {rows:,}"


@register.filter
def rows_known(result: Any) -> str:
    """How many rows a stored result has in all."""
    rows = result.rows_stored if result.row_count is None else result.row_count
    return f"{count(rows, result.row_count_exact)} {'row' if rows == 1 else 'rows'}"


@register.filter
def ms(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{max(round(value), 1)} ms"


@register.filter
def seconds(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f} s"


@register.filter
def cost(value: Decimal | float | None) -> str:
    """US dollars with the digits that say something."""
    if value is None:
        return ""
    amount = float(value)
    if amount == 0:
        return "$0"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.3f}" if amount >= 0.001 else "under $0.001"


@register.filter
def cell(value: Cell) -> SafeString:
    """A cell's text; NULL is marked, long text is cut with its whole length said."""
    if value is None:
        return mark_safe('<span class="null">NULL</span>')  # noqa: S308
    return format_html("{}", value if isinstance(value, str) else shown(value))


@register.filter
def item(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)


@register.filter
def error_words(name: str) -> str:
    return error_in_words(name)


@register.filter
def size(text: str) -> str:
    """How large a text is, for folds: 162 B, 38 KB, 2.1 MB."""
    octets = len(text.encode("utf-8", "replace"))
    if octets < 1000:
        return f"{octets} B"
    return (
        f"{octets / 1000:.1f} KB"
        if octets < 10_000
        else f"{octets / 1000:.0f} KB"
        if octets < 1_000_000
        else f"{octets / 1e6:.1f} MB"
    )
