"""The star schema as SQL: one table of sales and five dimensions, the same rows in DuckDB and PostgreSQL.

Everything is made inside the database from a series of numbers. "Chance" is arithmetic over the row's number, so that
the same rows come out everywhere and every time.
"""

from __future__ import annotations

CUSTOMERS, PRODUCTS, STORES, PROMOTIONS, DAYS = 200_000, 10_000, 200, 50, 1_096

_SERIES = {"duckdb": "range(1, {count} + 1) AS s(i)", "postgresql": "generate_series(BIGINT '1', {count}) AS s(i)"}


def star_sql(dialect: str, rows: int) -> str:
    """The statements that make the schema with so many sales."""
    statements = [_dates(dialect), _products(dialect), _customers(dialect), _stores(dialect), _promotions(dialect)]
    statements += [_sales(dialect, rows)]
    if dialect == "postgresql":
        statements += [f"ALTER TABLE {table} ADD PRIMARY KEY ({key})" for table, key in _KEYS.items()]
        statements += [f"CREATE INDEX ON sales ({key})" for key in ("date_key", "customer_key", "product_key")]
    return ";\n".join(statements) + ";"


_KEYS = {
    "dates": "date_key", "products": "product_key", "customers": "customer_key", "stores": "store_key",
    "promotions": "promotion_key", "sales": "sale_key",
}  # fmt: skip


def _series(dialect: str, count: int) -> str:
    return _SERIES[dialect].format(count=count)


def _draw(seed: int, count: int) -> str:
    """A number from 0 to `count` - 1 that looks random in `i`: a linear generator with a term that is not linear."""
    first = f"((i + {seed * 1009}) * 48271 % 2147483647)"
    return f"(({first} * 16807 + ({first} % 32749) * ({first} % 65521)) % 2147483647 % {count})"


def _choice(seed: int, *words: str) -> str:
    """One of `words`, each as likely."""
    cases = " ".join(f"WHEN {number} THEN '{word}'" for number, word in enumerate(words))
    return f"CASE {_draw(seed, len(words))} {cases} END"


def _price(seed: int) -> str:
    return f"CAST(CAST({_draw(seed, 20000)} + 99 AS DECIMAL(10, 2)) / 100 AS DECIMAL(10, 2))"


def _dates(dialect: str) -> str:
    day = "DATE '2021-01-01' + CAST(i - 1 AS INTEGER)"
    weekday = f"CAST(EXTRACT(ISODOW FROM {day}) AS INTEGER)"
    return f"""CREATE TABLE dates AS SELECT CAST(i AS INTEGER) AS date_key, {day} AS day,
        CAST(EXTRACT(YEAR FROM {day}) AS INTEGER) AS year, CAST(EXTRACT(QUARTER FROM {day}) AS INTEGER) AS quarter,
        CAST(EXTRACT(MONTH FROM {day}) AS INTEGER) AS month, {weekday} AS weekday, {weekday} >= 6 AS is_weekend,
        {_draw(1, 30)} = 0 AS is_holiday FROM {_series(dialect, DAYS)}"""


def _products(dialect: str) -> str:
    category = _choice(2, "food", "drinks", "garden", "toys", "books", "music", "tools", "clothes")
    return f"""CREATE TABLE products AS SELECT CAST(i AS INTEGER) AS product_key, 'product ' || i AS name,
        {category} AS category, 'brand ' || {_draw(3, 200)} AS brand,
        {_price(4)} AS list_price FROM {_series(dialect, PRODUCTS)}"""


def _customers(dialect: str) -> str:
    country = _choice(5, "FR", "DE", "PT", "ES", "IT", "PL", "NL", "SE", "FI", "GR")
    return f"""CREATE TABLE customers AS SELECT CAST(i AS INTEGER) AS customer_key, 'customer ' || i AS name,
        {country} AS country, {_choice(6, "private", "private", "business", "school")} AS segment,
        CAST(1940 + {_draw(7, 65)} AS INTEGER) AS birth_year,
        CASE WHEN {_draw(8, 4)} > 0 THEN 'customer' || i || '@example.org' END AS email
        FROM {_series(dialect, CUSTOMERS)}"""


def _stores(dialect: str) -> str:
    return f"""CREATE TABLE stores AS SELECT CAST(i AS INTEGER) AS store_key, 'store ' || i AS name,
        {_choice(9, "FR", "DE", "PT", "ES", "IT")} AS country,
        {_choice(10, "north", "south", "east", "west")} AS region,
        CAST(100 + {_draw(11, 5000)} AS INTEGER) AS area FROM {_series(dialect, STORES)}"""


def _promotions(dialect: str) -> str:
    return f"""CREATE TABLE promotions AS SELECT CAST(i AS INTEGER) AS promotion_key, 'promotion ' || i AS name,
        {_choice(12, "coupon", "season", "clearance")} AS kind FROM {_series(dialect, PROMOTIONS)}"""


def _sales(dialect: str, rows: int) -> str:
    """In the order of time, as a shop writes them; half the customers and products sell more than the others."""
    date_key = f"CAST(1 + floor((i - 1.0) * {DAYS} / {rows}) AS INTEGER)"
    second = f"CAST({_draw(13, 50400)} + 25200 AS INTEGER)"
    customer = f"CAST(1 + least({_draw(14, CUSTOMERS)}, {_draw(15, CUSTOMERS)}) AS INTEGER)"
    product = f"CAST(1 + least({_draw(16, PRODUCTS)}, {_draw(17, PRODUCTS)}) AS INTEGER)"
    return f"""CREATE TABLE sales AS SELECT CAST(i AS BIGINT) AS sale_key, {date_key} AS date_key,
        {customer} AS customer_key, {product} AS product_key, CAST(1 + {_draw(18, STORES)} AS INTEGER) AS store_key,
        CASE WHEN {_draw(19, 5)} = 0 THEN CAST(1 + {_draw(20, PROMOTIONS)} AS INTEGER) END AS promotion_key,
        CAST(1 + {_draw(21, 9)} AS INTEGER) AS quantity,
        {_price(22)} AS unit_price,
        CASE WHEN {_draw(23, 4)} = 0 THEN CAST({_draw(24, 30)} AS DECIMAL(4, 2)) END AS discount,
        {_choice(25, "paid", "paid", "paid", "paid", "open", "returned")} AS status,
        TIMESTAMP '2021-01-01 00:00:00' + ({date_key} - 1) * INTERVAL '1 day' + {second} * INTERVAL '1 second'
        AS sold_at FROM {_series(dialect, rows)}"""
