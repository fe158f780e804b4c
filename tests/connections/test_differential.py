"""Thousands of statements made from attacks and honest SQL: none may change or read what it should not.

`make fuzz` sends 5,000 through every layer and 5,000 past the guard, with new seeds, and reads MySQL's general log;
otherwise a fifth of that, the same on every run.
"""

from __future__ import annotations

import os
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest
from sqlalchemy.engine import make_url

from connections.door import Door
from connections.drivers import driver_for
from connections.errors import DatabaseError
from tests.connections.attacks import ATTACKS, SECRET, SERVERS
from tests.connections.servers import ask, rows_of
from tests.connections.target import SMALL, Target, baited, reading_role
from tests.databases import DIALECTS

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


@pytest.mark.fuzz
@pytest.mark.parametrize("guarded", [True, False], ids=["every layer", "without the guard"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_statement_does_harm(dialect: str, guarded: bool, tmp_path: Path) -> None:
    draw = random.Random(f"{SEED} {dialect} {guarded}")
    attacks = [attack.sql for attack in ATTACKS if dialect in attack.dialects]
    with baited(dialect, tmp_path) as target:
        before = target.state(), target.rows()
        answered = 0
        with restricted(target) as url, read_log(target, url) as ran:
            settings = {} if guarded else {"check": lambda *_, **__: None}
            with Door(driver_for(url), target.catalogue, SMALL, **settings) as door:
                for number in range(STATEMENTS):
                    sql = mutated(draw, draw.choice(attacks).format(folder=tmp_path))
                    answered += harmless(door, sql)
                    if number % 100 == 99:
                        assert target.rows() == before[1], f"seed {SEED}, before statement {number}: {sql!r}"
                assert door.query("SELECT COUNT(*) FROM plain").rows == ((2,),)
        assert (target.state(), target.rows()) == before, f"seed {SEED}"
        assert answered, "not one statement was honest: the mutations are too wild to prove anything"
        assert not open_soon(target)
        assert [sql for sql in ran if guarded and not OURS.match(sql)] == []


def harmless(door: Door, sql: str) -> bool:
    """Whether the database answered; it must never answer with the secret, nor fail in another way than ours."""
    try:
        rows = door.query(sql, max_rows=100).rows
    except DatabaseError:
        return False
    assert SECRET not in repr(rows), sql
    return True


# What a session may send: one SELECT, and what the driver itself says.
OURS = re.compile(
    r"[\s(]*(SELECT|WITH|VALUES|TABLE)\b|SET SESSION \w+ ?=|SET SESSION sql_mode|SET AUTOCOMMIT|SET NAMES"
    r"|START TRANSACTION READ ONLY$|ROLLBACK$|KILL QUERY \d+$",
    re.IGNORECASE,
)


@contextmanager
def read_log(target: Target, url: str) -> Iterator[list[str]]:
    """The statements that reached MySQL from the user of `url`, known at the end of a long run; else none."""
    ran: list[str] = []
    if target.dialect != "mysql" or not LONG:
        yield ran
        return
    ask(target.url, "SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 1")
    try:
        yield ran
    finally:
        ask(target.url, "SET GLOBAL general_log = 0", "SET GLOBAL log_output = 'FILE'")
    user = make_url(url).username
    scope = f"user_host LIKE '{user}[%' AND command_type = 'Query'"
    log = f"SELECT CAST(argument AS BINARY) FROM mysql.general_log WHERE {scope}"
    ran += [bytes(text).decode("utf-8", "replace") for (text,) in rows_of(target.url, log)]
    assert ran


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
def test_harm_would_be_seen(dialect: str, tmp_path: Path) -> None:
    """The test above can fail: each kind of harm, done past all layers, shows in what it compares."""
    with baited(dialect, tmp_path) as target:
        state, rows = target.state(), target.rows()
        (tmp_path / "out.txt").write_text("stolen")
        assert target.rows() != rows
        (tmp_path / "out.txt").unlink()
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
