-- two filters become one WHERE
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
WHERE
  ("status" = 'paid' OR "total" > 20) AND "total" < 40;

-- NULL is neither true nor false
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "orders"
WHERE
  NOT "total" = 12;

-- after an aggregate
SELECT
  "customer",
  COUNT(*) AS "n"
FROM "orders"
GROUP BY
  "customer"
HAVING
  COUNT(*) > 1;

-- after the spread of everything
SELECT
  VAR_SAMP("id") AS "spread"
FROM "orders"
HAVING
  VAR_SAMP("id") IS NULL;

-- after the spread of everything, counted
WITH "f" AS (
  SELECT
    1 AS "one"
  FROM (
    SELECT
      COUNT(*) AS "row_count"
    FROM "orders"
    HAVING
      VAR_SAMP("id") IS NOT NULL
  ) AS "one_row"
)
SELECT
  COUNT(*) AS "known"
FROM "f";

-- after a limit
WITH "l" AS (
  SELECT
    "id",
    "customer",
    "status",
    "total"
  FROM "orders"
  ORDER BY
    "id"
  LIMIT 4
)
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "l"
WHERE
  "status" = 'paid'
ORDER BY
  "id";

-- on a window column
WITH "w" AS (
  SELECT
    "id",
    "customer",
    "status",
    "total",
    ROW_NUMBER() OVER (PARTITION BY "status" ORDER BY "id" DESC) AS "place"
  FROM "orders"
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  "place"
FROM "w"
WHERE
  "place" = 1;

-- on a derived column
SELECT
  "id",
  "customer",
  "status",
  "total",
  "total" * 2 AS "double"
FROM "orders"
WHERE
  ("total" * 2) > 24;

-- beside a window that nobody reads
SELECT
  "id"
FROM "orders"
WHERE
  "total" > 12;
