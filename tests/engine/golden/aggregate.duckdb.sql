-- by one column
SELECT
  "status",
  COUNT(*) AS "n",
  SUM("total") AS "total",
  AVG("total") AS "mean",
  MIN("total") AS "low",
  MAX("total") AS "high"
FROM "orders"
GROUP BY
  "status";

-- of everything
SELECT
  COUNT(*) AS "n",
  COUNT("total") AS "known",
  COUNT(DISTINCT "customer") AS "who",
  SUM(DISTINCT "total") AS "different"
FROM "orders";

-- of nothing
SELECT
  COUNT(*) AS "n",
  MAX("id") AS "top"
FROM "empty_log";

-- of nothing, grouped
SELECT
  "note",
  COUNT(*) AS "n"
FROM "empty_log"
GROUP BY
  "note";

-- with filters
SELECT
  "customer",
  COUNT(*) FILTER(WHERE "total" > 12) AS "big",
  SUM("total") FILTER(WHERE "status" = 'paid') AS "paid",
  COUNT(DISTINCT "status") FILTER(WHERE "total" >= 12) AS "kinds"
FROM "orders"
GROUP BY
  "customer";

-- median
SELECT
  "status",
  MEDIAN("total") AS "middle",
  MEDIAN("total") FILTER(WHERE "total" > 7) AS "paid_middle"
FROM "orders"
GROUP BY
  "status";

-- spread
SELECT
  "status",
  STDDEV_SAMP("total") AS "deviation",
  VAR_SAMP("total") AS "variance"
FROM "orders"
GROUP BY
  "status";

-- distinct texts, sorted by themselves
SELECT
  STRING_AGG(DISTINCT "status", ',' ORDER BY "status" DESC) AS "all"
FROM "orders";

-- texts in the order of the relation
SELECT
  "country",
  STRING_AGG("name", '; ' ORDER BY "name" DESC) AS "names"
FROM "customers"
GROUP BY
  "country";

-- by a derived column
SELECT
  CASE WHEN "total" > 20 THEN 'big' ELSE 'small' END AS "size",
  COUNT(*) AS "n"
FROM "orders"
GROUP BY
  CASE WHEN "total" > 20 THEN 'big' ELSE 'small' END;

-- by a constant
WITH "d" AS (
  SELECT
    1 AS "one"
  FROM "orders"
)
SELECT
  "one",
  COUNT(*) AS "n"
FROM "d"
GROUP BY
  "one";

-- of an aggregate
WITH "a" AS (
  SELECT
    COUNT(*) AS "n"
  FROM "orders"
  GROUP BY
    "customer"
)
SELECT
  MAX("n") AS "most",
  COUNT(*) AS "groups"
FROM "a";

-- of a limit
WITH "l" AS (
  SELECT
    "total"
  FROM "orders"
  ORDER BY
    "id"
  LIMIT 3
)
SELECT
  SUM("total") AS "total"
FROM "l";

-- keys alone
SELECT
  "status",
  "customer"
FROM "orders"
GROUP BY
  "status",
  "customer";

-- one row even when only a constant is asked for
SELECT
  'x' AS "word"
FROM (
  SELECT
    COUNT(*) AS "row_count"
  FROM "orders"
) AS "one_row";

-- any value of the group
SELECT
  "id",
  ANY_VALUE("status") AS "status"
FROM "orders"
GROUP BY
  "id";

-- any value of everything
SELECT
  ANY_VALUE("order_id") AS "some"
FROM "tags"
WHERE
  "order_id" = 1;

-- by the key of a joined table
SELECT
  "orders"."customer",
  "customers"."name",
  SUM("orders"."total") AS "spent"
FROM "orders"
JOIN "customers"
  ON "orders"."customer" = "customers"."id"
GROUP BY
  "orders"."customer",
  "customers"."name";

-- median between two decimals
WITH "d" AS (
  SELECT DISTINCT
    "page",
    "spent"
  FROM "visits"
)
SELECT
  "page",
  MEDIAN("spent" * 1.0) AS "mid"
FROM "d"
GROUP BY
  "page";

-- texts in an order that a constant says nothing of
SELECT
  "order_id",
  STRING_AGG("tag", '+' ORDER BY "tag" DESC) AS "tags"
FROM "tags"
GROUP BY
  "order_id";
