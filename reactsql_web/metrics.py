"""Numbers for Prometheus, read from the database when asked: right over any number of processes."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from agents import selectors

__all__ = ["CONTENT_TYPE", "text"]


def text() -> bytes:
    registry = CollectorRegistry()
    registry.register(_Runs())
    return generate_latest(registry)


class _Runs(Collector):
    def collect(self) -> Iterator[Metric]:
        figures = selectors.run_figures()
        runs = GaugeMetricFamily("reactsql_runs", "Stored runs", labels=["status"])
        for status, number in figures.by_status.items():
            runs.add_metric([status], number)
        yield runs
        tokens = CounterMetricFamily("reactsql_tokens", "Tokens used by runs that have ended", labels=["direction"])
        tokens.add_metric(["input"], figures.input_tokens)
        tokens.add_metric(["cached"], figures.cached_tokens)
        tokens.add_metric(["output"], figures.output_tokens)
        yield tokens
        yield CounterMetricFamily("reactsql_cost_dollars", "Cost of runs that have ended", value=figures.cost)
        yield GaugeMetricFamily("reactsql_queue_seconds", "Age of the oldest queued run", value=figures.oldest_queued)
        yield GaugeMetricFamily("reactsql_workers", "Workers seen in the last 30 seconds", value=figures.workers)
