"""The two star databases: made when they are missing, kept as files (DuckDB) or dropped again (PostgreSQL)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psycopg
from sqlalchemy.engine import make_url

from bench.star.schema import star_sql
from tests.databases import POSTGRES_URL


def cache_folder() -> Path:
    """The folder that BENCH_CACHE names, by default one below the system's own for temporary files."""
    folder = Path(os.environ.get("BENCH_CACHE") or Path(tempfile.gettempdir()) / "reactsql-bench")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def star(dialect: str, rows: int, *, keep: bool) -> Iterator[str]:
    """The URL of the star with so many sales. `keep` leaves PostgreSQL's for the next run."""
    if dialect == "duckdb":
        yield _duckdb(rows)
    else:
        yield from _postgresql(rows, keep)


def _duckdb(rows: int) -> str:
    path = cache_folder() / f"star-{rows}.duckdb"
    if not path.exists():
        making = path.with_suffix(".making")
        making.unlink(missing_ok=True)
        with duckdb.connect(str(making)) as connection:
            connection.execute(star_sql("duckdb", rows))
        making.rename(path)
    return f"duckdb:///{path}"


def _postgresql(rows: int, keep: bool) -> Iterator[str]:
    server = make_url(POSTGRES_URL).set(drivername="postgresql")
    name = f"bench_star_{rows}"
    url = server.set(database=name)
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as admin:
        if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            admin.execute(f"CREATE DATABASE {name}")
            _fill(admin, name, url.render_as_string(hide_password=False), rows)
        try:
            yield url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
        finally:
            if not keep:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _fill(admin: psycopg.Connection, name: str, url: str, rows: int) -> None:
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(star_sql("postgresql", rows).encode())
            connection.execute("VACUUM ANALYZE")
    except BaseException:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        raise
