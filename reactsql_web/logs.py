"""Structured logs: for people on a console, or one JSON object a line. Run ids come from structlog's context."""

from __future__ import annotations

from typing import Any

import structlog

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]

_TALKATIVE = (
    "LiteLLM", "httpx", "httpcore", "openai", "uvicorn.access", "axes", "kombu", "celery.app.trace",
    "celery.worker.strategy", "celery.beat",
)  # fmt: skip


def configuration(level: str, form: str) -> dict[str, Any]:
    """Django's LOGGING, and structlog set up to write through it."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    quiet = {"handlers": [], "level": "WARNING", "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"structured": {"()": structlog.stdlib.ProcessorFormatter, "processors": _ending(form),
                                      "foreign_pre_chain": _SHARED}},
        "handlers": {"out": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["out"], "level": level},
        "loggers": dict.fromkeys(_TALKATIVE, quiet)
        | {"sqlglot": {"handlers": [], "level": "ERROR", "propagate": True}},
    }  # fmt: skip


def _ending(form: str) -> list[Any]:
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if form == "json":
        return [remove, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    # Plain tracebacks: the default one prints local variables, and those may hold passwords and customers' rows.
    return [remove, structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
