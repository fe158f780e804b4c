"""However large a result is, the process that asks for it stays small and the result says how it was cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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
import json, sys
from connections.contracts import Limits
from connections.door import Door
from connections.drivers import driver_for

driver = driver_for(sys.argv[1])
with Door(driver, driver.catalogue(), Limits(rows=5_000_000)) as door:
    many = door.query("SELECT a.n AS a, b.label AS b, c.n AS c FROM numbers AS a, numbers AS b, numbers AS c WHERE c.n < 3")
    found = {"rows": len(many.rows), "cut_by": many.cut_by}
    del many
    for column in ("body", "raw"):
        large = door.query("SELECT " + column + " FROM large")
        found[column] = [large.cut_cells, len(large.rows[0][0])]
        del large
status = dict(line.split(":", 1) for line in open("/proc/self/status"))  # getrusage would count what forked us
found["peak"] = int(status["VmHWM"].split()[0]) * 1024
print(json.dumps(found))
"""  # noqa: E501


@pytest.mark.timeout(300)
def test_two_million_rows_and_a_cell_of_fifty_megabytes_fit(
    new_database: Callable[..., str], dialect: str, tmp_path: Path
) -> None:
    url = new_database(dialect, f"{NUMBERS}; {LARGE[dialect]}")
    root = Path(__file__).resolve().parents[2]
    script = tmp_path / "ask.py"  # a file: with `-c` DuckDB takes us for a person and draws a progress bar
    script.write_text(ASK)
    done = subprocess.run(
        [sys.executable, str(script), url], env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["cut_by"] == "bytes"
    assert 100_000 < found["rows"] < 2_000_000
    for column in ("body", "raw"):
        cut, length = found[column]
        assert cut == 1
        assert 5_000_000 <= length < 5_000_100
    assert found["peak"] < 400 * MEGABYTE
