-- numbered
SELECT
  "id",
  "customer",
  "status",
  "total",
  ROW_NUMBER() OVER (PARTITION BY "status" ORDER BY "total" DESC NULLS LAST, "id") AS "place"
FROM "orders";

-- ranked
SELECT
  "id",
  "customer",
  "status",
  "total",
  RANK() OVER (ORDER BY "total" DESC NULLS LAST) AS "place",
  DENSE_RANK() OVER (ORDER BY "total" DESC NULLS LAST) AS "dense",
  PERCENT_RANK() OVER (ORDER BY "total" NULLS FIRST) AS "share",
  CUME_DIST() OVER (ORDER BY "total" NULLS FIRST) AS "below"
FROM "orders";

-- in buckets
SELECT
  "id",
  "customer",
  "status",
  "total",
  NTILE(3) OVER (ORDER BY "id") AS "bucket"
FROM "orders";

-- before and after
SELECT
  "id",
  "customer",
  "status",
  "total",
  LAG("total") OVER (ORDER BY "id") AS "last_one",
  LEAD("total", 2, -1) OVER (ORDER BY "id") AS "next_but_one"
FROM "orders";

-- running and whole
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER (ORDER BY "id") AS "running",
  SUM("total") OVER (PARTITION BY "status") AS "share_of",
  COUNT(*) OVER (PARTITION BY "status") AS "n"
FROM "orders";

-- in a frame
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER (ORDER BY "id" ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS "nearby",
  MAX("total") OVER (ORDER BY "id" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS "latest"
FROM "orders";

-- first and last
SELECT
  "id",
  "customer",
  "status",
  "total",
  FIRST_VALUE("total") OVER (PARTITION BY "status" ORDER BY "id") AS "first",
  LAST_VALUE("total") OVER (PARTITION BY "status" ORDER BY "id" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "last"
FROM "orders";

-- in the order of the relation
SELECT
  "id",
  "customer",
  "status",
  "total",
  ROW_NUMBER() OVER (ORDER BY "id" DESC) AS "place",
  LAST_VALUE("id") OVER (PARTITION BY "status" ORDER BY "id" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "last"
FROM "orders"
ORDER BY
  "id" DESC;

-- a frame in the order of the relation
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER (ORDER BY "id" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "running",
  COUNT("total") OVER (PARTITION BY "status" ORDER BY "id" DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS "nearby"
FROM "orders"
ORDER BY
  "id" DESC;

-- a frame of all rows
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER (PARTITION BY "status" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "all_of_it"
FROM "orders";

-- over aggregates
SELECT
  "customer",
  SUM("total") AS "spent",
  RANK() OVER (ORDER BY SUM("total") DESC NULLS LAST) AS "place"
FROM "orders"
GROUP BY
  "customer";

-- over a window
WITH "w" AS (
  SELECT
    "id",
    "customer",
    "status",
    "total",
    ROW_NUMBER() OVER (ORDER BY "id") AS "place"
  FROM "orders"
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  "place",
  SUM("place") OVER () AS "sum_of_places"
FROM "w";

-- before a limit it sees every row
SELECT
  "id",
  "customer",
  "status",
  "total",
  COUNT(*) OVER () AS "n"
FROM "orders"
ORDER BY
  "id"
LIMIT 2;

-- after a limit it sees what is left
WITH "l" AS (
  SELECT
    "id",
    "customer",
    "status",
    "total"
  FROM "orders"
  ORDER BY
    "id"
  LIMIT 3
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER () AS "sum"
FROM "l"
ORDER BY
  "id";

-- a text from another group, computed with
SELECT
  "name",
  COUNT(*) AS "n",
  LAG("name") OVER (ORDER BY "name") AS "before",
  COALESCE(LAG("name") OVER (ORDER BY "name"), 'first') AS "told"
FROM "customers"
GROUP BY
  "name";
