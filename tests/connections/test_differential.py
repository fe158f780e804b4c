"""Thousands of statements made from attacks and honest SQL: none may change or read what it should not.

`make fuzz` sends 5,000 through every layer and 5,000 past the guard, with new seeds, and reads MySQL's general log;
otherwise a fifth of that, the same on every run. PostgreSQL's own log is read every time.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import duckdb
import pytest
from sqlalchemy.engine import make_url

from connections.door import Door
from connections.drivers import driver_for
from connections.errors import DatabaseError
from tests.connections.attacks import ATTACKS, SECRET, SERVERS
from tests.connections.server_log import ServerLog, read_log
from tests.connections.servers import ask, rows_of
from tests.connections.target import SMALL, Target, baited, reading_role
from tests.databases import DIALECTS
from tests.postgres_cluster import Cluster

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
STATEMENTS = 1_250 if LONG else 250  # for each dialect, with the guard and without it
SEED = random.SystemRandom().randrange(10**9) if LONG else 7

HONEST = (
    "SELECT id, label FROM plain",
    "SELECT COUNT(*) FROM bait",
    "WITH a AS (SELECT id FROM bait) SELECT id FROM a",
    "SELECT id FROM plain UNION SELECT id FROM bait",
    "SELECT upper(label) FROM plain WHERE id IN (SELECT id FROM bait)",
    "SELECT CASE WHEN id > 1 THEN 'a;b--c' ELSE label END FROM plain ORDER BY id LIMIT 3",
)
FRAMES = (
    "{honest}; {attack}",
    "{attack}; {honest}",
    "{honest} UNION ALL {attack}",
    "({attack})",
    "SELECT * FROM ({attack}) AS x",
    "WITH x AS ({attack}) SELECT * FROM x",
    "WITH x AS ({honest}) {attack}",
    "EXPLAIN {attack}",
    "SELECT ({attack})",
    "SELECT id FROM plain WHERE EXISTS ({attack})",
    "/*! {attack} */",
    "/*!50000 {attack} */",
    "{honest} -- \n; {attack}",
    "{honest} /* ' */; {attack} /* ' */",
    "{honest} # \n; {attack}",
    "SELECT '\\'; {attack}; -- '",
    "SELECT E'\\'; {attack}; -- '",
    "SELECT $a$ '$a$; {attack}; --'",
    'SELECT "; {attack}; --"',
    "PREPARE p AS {attack}",
    "BEGIN; {attack}; COMMIT",
    "{honest}",
    "{honest} LIMIT 1",
    "{attack}",
)
BLANKS = ("\t", "\n", "/**/", "  ", "\f", "\u00a0", "\u2003", "\x00", "--\n", "(", ")", ";")


def mutated(draw: random.Random, attack: str) -> str:
    """An attack in a frame, then a few small accidents."""
    text = draw.choice(FRAMES).format(attack=attack, honest=draw.choice(HONEST))
    changes: tuple[Callable[[random.Random, list[str]], None], ...] = (_drop, _double, _swap, _blank, _quote, _fold)
    words = text.split(" ")
    for _ in range(draw.randrange(4)):
        draw.choice(changes)(draw, words)
    return " ".join(words)


def _drop(draw: random.Random, words: list[str]) -> None:
    if len(words) > 1:
        words.pop(draw.randrange(len(words)))


def _double(draw: random.Random, words: list[str]) -> None:
    place = draw.randrange(len(words))
    words.insert(place, words[place])


def _swap(draw: random.Random, words: list[str]) -> None:
    one, other = draw.randrange(len(words)), draw.randrange(len(words))
    words[one], words[other] = words[other], words[one]


def _blank(draw: random.Random, words: list[str]) -> None:
    place = draw.randrange(len(words))
    words[place] = draw.choice(BLANKS).join((words[place], ""))


def _quote(draw: random.Random, words: list[str]) -> None:
    place = draw.randrange(len(words))
    mark = draw.choice(("'", '"', "`", "[]", "''", "\\"))
    words[place] = mark[0] + words[place] + mark[-1]


def _fold(draw: random.Random, words: list[str]) -> None:
    place = draw.randrange(len(words))
    words[place] = draw.choice((str.swapcase, str.title, str.upper))(words[place])


@contextmanager
def restricted(target: Target) -> Iterator[str]:
    """The recommended role on a server, the file itself otherwise."""
    if target.dialect in SERVERS:
        with reading_role(target) as url:
            yield url
    else:
        yield target.url


@pytest.fixture
def server(request: pytest.FixtureRequest, dialect: str) -> Cluster | None:
    """The tests' own PostgreSQL, whose log is theirs; the others are made where they always are."""
    return request.getfixturevalue("own_postgres") if dialect == "postgresql" else None


@pytest.mark.fuzz
@pytest.mark.parametrize("guarded", [True, False], ids=["every layer", "without the guard"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_statement_does_harm(dialect: str, guarded: bool, server: Cluster | None) -> None:
    draw = random.Random(f"{SEED} {dialect} {guarded}")
    attacks = [attack.sql for attack in ATTACKS if dialect in attack.dialects]
    with baited(dialect, server.url if server else "") as target:
        before = target.state(), target.rows()
        answered = 0
        with restricted(target) as url, read_log(target, url, server, long=LONG) as log:
            settings = {} if guarded else {"check": lambda *_, **__: None}
            with Door(driver_for(url), target.catalogue, SMALL, **settings) as door:
                for number in range(STATEMENTS):
                    sql = mutated(draw, draw.choice(attacks).format(folder=target.folder))
                    answered += harmless(door, sql)
                    if number % 100 == 99:
                        assert target.rows() == before[1], f"seed {SEED}, before statement {number}: {sql!r}"
                assert door.query("SELECT COUNT(*) FROM plain").rows == ((2,),)
        assert (target.state(), target.rows()) == before, f"seed {SEED}"
        assert answered, "not one statement was honest: the mutations are too wild to prove anything"
        assert not open_soon(target)
        assert_harmless(log, dialect, guarded)


def harmless(door: Door, sql: str) -> bool:
    """Whether the database answered; it must never answer with the secret, nor fail in another way than ours."""
    try:
        rows = door.query(sql, max_rows=100).rows
    except DatabaseError:
        return False
    assert SECRET not in repr(rows), sql
    return True


def assert_harmless(log: ServerLog, dialect: str, guarded: bool) -> None:
    """Where there is a log of what the server was sent (MySQL) or ran (PostgreSQL)."""
    if guarded or dialect == "postgresql":
        assert log.not_ours(dialect) == []
    if dialect == "postgresql":
        assert log.kept == set(), "a transaction that wrote was not rolled back"
        assert not (guarded and log.written), "what passes the guard writes nothing that would have to be undone"
        assert bool(log.refusals) is not guarded, "only what does not pass the guard has to be refused by the server"


def open_soon(target: Target) -> int:
    """Sessions that are still open after a moment: a server takes one to notice a goodbye."""
    for _ in range(20):
        if not (left := sessions_left(target)):
            return 0
        time.sleep(0.1)
    return left


def sessions_left(target: Target) -> int:
    if target.dialect == "postgresql":
        sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    elif target.dialect == "mysql":
        sql = "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()"
    else:
        return 0
    return int(rows_of(target.url, sql)[0][0])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_harm_would_be_seen(dialect: str, server: Cluster | None) -> None:
    """The test above can fail: each kind of harm, done past all layers, shows in what it compares."""
    with baited(dialect, server.url if server else "") as target:
        state, rows = target.state(), target.rows()
        (target.folder / "out.txt").write_text("stolen")
        assert target.rows() != rows
        (target.folder / "out.txt").unlink()
        assert (target.state(), target.rows()) == (state, rows)
        as_administrator(target, "UPDATE bait SET entry = 'x' WHERE id = 2")
        assert target.rows() != rows
        as_administrator(target, "UPDATE bait SET entry = 'two' WHERE id = 2")
        as_administrator(target, "CREATE TABLE stolen (id INTEGER)")
        assert target.state() != state
        if dialect in SERVERS:
            with target.door() as door:
                door.query("SELECT id FROM plain")
                assert sessions_left(target) == 1


def test_postgresqls_log_would_show_harm(own_postgres: Cluster) -> None:
    """Also a file that was read or written, and a write that was undone."""
    with baited("postgresql", own_postgres.url) as target:
        url = make_url(target.url).set(username="careless", password="s3cret").render_as_string(hide_password=False)
        ask(target.url, "CREATE ROLE careless LOGIN SUPERUSER PASSWORD 's3cret'")
        with read_log(target, url, own_postgres) as log:
            assert rows_of(url, f"SELECT pg_read_file('{target.folder}/secret.txt')") == [(SECRET,)]
            ask(url, f"COPY bait TO '{target.folder}/out.txt'")
            ask(url, "BEGIN", "DELETE FROM plain", "ROLLBACK", "BEGIN", "DELETE FROM plain", "COMMIT")
        ask(target.url, "DROP ROLE careless")
        assert (target.folder / "out.txt").exists()
        assert len(log.not_ours("postgresql")) == 6
        assert (len(log.written), len(log.kept)) == (2, 1)


def as_administrator(target: Target, sql: str) -> None:
    path = str(make_url(target.url).database)
    if target.dialect == "sqlite":
        with closing(sqlite3.connect(path)) as file:
            file.execute(sql)
            file.commit()
    elif target.dialect == "duckdb":
        with duckdb.connect(path) as file:
            file.execute(sql)
    else:
        ask(target.url, sql)
