-- NULL where the dialect puts it
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
ORDER BY
  "total",
  "id";

-- NULL where the dialect puts it, descending
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
ORDER BY
  "total" DESC,
  "id";

-- NULL first
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
ORDER BY
  "total" DESC NULLS FIRST,
  "id";

-- NULL last
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
ORDER BY
  "total",
  "id";

-- by an aggregate that shares its column's name
SELECT
  "o"."status",
  SUM("o"."total") AS "total"
FROM "orders" AS "o"
GROUP BY
  "o"."status"
ORDER BY
  "total" DESC;

-- by an aggregate that is not shown
SELECT
  "status"
FROM "orders"
GROUP BY
  "status"
ORDER BY
  SUM("total") DESC;

-- by a derived column
SELECT
  "id",
  "customer",
  "status",
  "total",
  100 - COALESCE("total", 0) AS "rest"
FROM "orders"
ORDER BY
  "rest",
  "id" DESC;

-- by a constant
SELECT
  "id",
  "total"
FROM "orders"
ORDER BY
  "id" DESC;

-- twice, the later counts
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
ORDER BY
  "id" DESC;

-- kept by a filter and a projection
SELECT
  "total"
FROM "orders"
WHERE
  "total" > 7
ORDER BY
  "id" DESC;

-- kept through a step
WITH "w" AS (
  SELECT
    "status",
    COUNT(*) OVER (PARTITION BY "status") AS "n",
    "id"
  FROM "orders"
)
SELECT
  "status",
  "n"
FROM "w"
WHERE
  "n" > 1
ORDER BY
  "id" DESC;

-- dropped by an aggregate
SELECT
  "status",
  COUNT(*) AS "n"
FROM "orders"
GROUP BY
  "status";
