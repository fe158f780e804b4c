-- two filters become one WHERE
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
WHERE
  ("o"."status" = 'paid' OR "o"."total" > 20) AND "o"."total" < 40;

-- NULL is neither true nor false
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
WHERE
  NOT "o"."total" = 12;

-- after an aggregate
SELECT
  "o"."customer",
  COUNT(*) AS "n"
FROM "orders" AS "o"
GROUP BY
  "o"."customer"
HAVING
  COUNT(*) > 1;

-- after the spread of everything
WITH "o" AS (
  SELECT
    "o"."id",
    "o"."id" AS "spread_value",
    AVG("o"."id") OVER () AS "spread_mean"
  FROM "orders" AS "o"
)
SELECT
  CAST(SUM(("spread_value" - "spread_mean") * ("spread_value" - "spread_mean")) AS REAL) / (COUNT("spread_value") - 1) AS "spread"
FROM "o"
HAVING
  (CAST(SUM(("spread_value" - "spread_mean") * ("spread_value" - "spread_mean")) AS REAL) / (COUNT("spread_value") - 1)) IS NULL;

-- after the spread of everything, counted
WITH "o" AS (
  SELECT
    "o"."id",
    "o"."id" AS "spread_value",
    AVG("o"."id") OVER () AS "spread_mean"
  FROM "orders" AS "o"
), "f" AS (
  SELECT
    1 AS "one"
  FROM (
    SELECT
      COUNT(*) AS "row_count"
    FROM "o"
    HAVING
      (CAST(SUM(("spread_value" - "spread_mean") * ("spread_value" - "spread_mean")) AS REAL) / (COUNT("spread_value") - 1)) IS NOT NULL
  ) AS "one_row"
)
SELECT
  COUNT(*) AS "known"
FROM "f";

-- after a limit
WITH "l" AS (
  SELECT
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
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
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total",
    ROW_NUMBER() OVER (PARTITION BY "o"."status" ORDER BY "o"."id" DESC) AS "place"
  FROM "orders" AS "o"
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
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  "o"."total" * 2 AS "double"
FROM "orders" AS "o"
WHERE
  ("o"."total" * 2) > 24;

-- beside a window that nobody reads
SELECT
  "o"."id"
FROM "orders" AS "o"
WHERE
  "o"."total" > 12;
