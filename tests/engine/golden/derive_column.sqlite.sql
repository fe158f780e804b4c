-- whether the spread of everything is known
WITH "o" AS (
  SELECT
    "o"."id",
    "o"."id" AS "spread_value",
    AVG("o"."id") OVER () AS "spread_mean"
  FROM "orders" AS "o"
)
SELECT
  CASE WHEN SQRT(CAST(SUM(("spread_value" - "spread_mean") * ("spread_value" - "spread_mean")) AS REAL) / (COUNT("spread_value") - 1)) IS NULL THEN 'no' ELSE 'yes' END AS "told"
FROM "o";

-- from the table
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  COALESCE("o"."total", 0) + 1 AS "more"
FROM "orders" AS "o";

-- from one another in one layer
SELECT
  "o"."id",
  ("o"."total" * 2) - "o"."total" AS "rest"
FROM "orders" AS "o";

-- over aggregates
SELECT
  "o"."status",
  SUM("o"."total") AS "total",
  COUNT(*) AS "n",
  SUM("o"."total") + COUNT(*) AS "sum"
FROM "orders" AS "o"
GROUP BY
  "o"."status";

-- over a grouped expression
WITH "a" AS (
  SELECT
    "o"."id" + 0 AS "late",
    COUNT(*) AS "n"
  FROM "orders" AS "o"
  GROUP BY
    "o"."id" + 0
)
SELECT
  "late",
  "n",
  "late" * 2 AS "later"
FROM "a";

-- over a window column
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  ROW_NUMBER() OVER (ORDER BY "o"."id") AS "place",
  ROW_NUMBER() OVER (ORDER BY "o"."id") + 1 AS "next"
FROM "orders" AS "o";

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
  LIMIT 2
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  "total" * 2 AS "double"
FROM "l"
ORDER BY
  "id";
