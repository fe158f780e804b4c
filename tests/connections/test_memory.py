"""However large a result is, the process that asks for it stays small and the result says how it was cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.connections.corpus import NUMBERS

MEGABYTE = 1024 * 1024
CELL = 50_000_000
# A server sends no value above max_allowed_packet, 16 MB unless set otherwise.
MYSQL_CELL = 15_000_000

LARGE = {
    "sqlite": f"CREATE TABLE large AS SELECT CAST(replace(hex(zeroblob({CELL // 4})), '00', 'wxyz') AS TEXT) AS body, "
    f"zeroblob({CELL}) AS raw",
    "duckdb": f"CREATE TABLE large AS SELECT repeat('x', {CELL}) AS body, repeat('y', {CELL})::BLOB AS raw",
    "postgresql": f"CREATE TABLE large AS SELECT repeat('x', {CELL}) AS body, "
    f"convert_to(repeat('y', {CELL}), 'utf8') AS raw",
    "mysql": "CREATE TABLE large (body LONGTEXT, raw LONGBLOB); "
    f"INSERT INTO large VALUES (repeat('x', {MYSQL_CELL}), repeat('y', {MYSQL_CELL}))",
}

ASK = """
with Door(driver, driver.catalogue(), Limits(rows=5_000_000)) as door:
    many = door.query("SELECT a.n AS a, b.label AS b, c.n AS c FROM numbers AS a, numbers AS b, numbers AS c WHERE c.n < 3")
    found = {"rows": len(many.rows), "cut_by": many.cut_by}
    del many
    for column in ("body", "raw"):
        large = door.query("SELECT " + column + " FROM large")
        found[column] = [large.cut_cells, len(large.rows[0][0])]
        del large
"""  # noqa: E501

# Past the guard, which refuses to build such a value; a table may hold one.
GIGABYTE = """
with Door(driver, driver.catalogue(), Limits(seconds=120), check=lambda *_, **__: None) as door:
    large = door.query("SELECT repeat('x', 1000000000) AS body, convert_to(repeat('y', 400000000), 'utf8') AS raw")
    found = {"cut": large.cut_cells, "lengths": [len(value) for value in large.rows[0]]}
"""

FIRST = """
import json, sys
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for

driver = driver_for(sys.argv[1])
"""
LAST = """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))  # getrusage would count what forked us
found["peak"] = int(status["VmHWM"].split()[0]) * 1024
print(json.dumps(found))
"""


@pytest.mark.timeout(300)
def test_two_million_rows_and_a_cell_of_fifty_megabytes_fit(
    new_database: Callable[..., str], dialect: str, tmp_path: Path
) -> None:
    url = new_database(dialect, f"{NUMBERS}; {LARGE[dialect]}")
    found = in_a_process(ASK, url, tmp_path)
    assert found["cut_by"] == "bytes"
    assert 100_000 < found["rows"] < 2_000_000
    for column in ("body", "raw"):
        cut, length = found[column]
        assert cut == 1
        assert 5_000_000 <= length < 5_000_100
    assert found["peak"] < 400 * MEGABYTE


@pytest.mark.timeout(300)
def test_a_value_of_a_gigabyte_stays_on_the_server(new_database: Callable[..., str], tmp_path: Path) -> None:
    found = in_a_process(GIGABYTE, new_database("postgresql"), tmp_path)
    assert found["cut"] == 2
    assert found["lengths"][0] < 5_000_100
    assert found["lengths"][1] == 5_000_000
    assert found["peak"] < 400 * MEGABYTE


def in_a_process(work: str, url: str, folder: Path) -> dict[str, Any]:
    """What `work` found, and the peak memory of a process that does nothing else."""
    root = Path(__file__).resolve().parents[2]
    script = folder / "ask.py"  # a file: with `-c` DuckDB takes us for a person and draws a progress bar
    script.write_text(FIRST + work + LAST)
    done = subprocess.run(
        [sys.executable, str(script), url], env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found
