-- by one column
SELECT
  "o"."status",
  COUNT(*) AS "n",
  SUM("o"."total") AS "total",
  AVG("o"."total") AS "mean",
  MIN("o"."total") AS "low",
  MAX("o"."total") AS "high"
FROM "orders" AS "o"
GROUP BY
  "o"."status";

-- of everything
SELECT
  COUNT(*) AS "n",
  COUNT("o"."total") AS "known",
  COUNT(DISTINCT "o"."customer") AS "who",
  SUM(DISTINCT "o"."total") AS "different"
FROM "orders" AS "o";

-- of nothing
SELECT
  COUNT(*) AS "n",
  MAX("n"."id") AS "top"
FROM "empty_log" AS "n";

-- of nothing, grouped
SELECT
  "n"."note",
  COUNT(*) AS "n"
FROM "empty_log" AS "n"
GROUP BY
  "n"."note";

-- with filters
SELECT
  "o"."customer",
  COUNT(*) FILTER(WHERE "o"."total" > 12) AS "big",
  SUM("o"."total") FILTER(WHERE "o"."status" = 'paid') AS "paid",
  COUNT(DISTINCT "o"."status") FILTER(WHERE "o"."total" >= 12) AS "kinds"
FROM "orders" AS "o"
GROUP BY
  "o"."customer";

-- median
WITH "o" AS (
  SELECT
    "o"."status",
    "o"."total",
    "o"."total" AS "middle_value",
    ROW_NUMBER() OVER (PARTITION BY "o"."status", "o"."total" IS NULL ORDER BY "o"."total") AS "middle_place",
    COUNT("o"."total") OVER (PARTITION BY "o"."status") AS "middle_count",
    CASE WHEN "o"."total" > 7 THEN "o"."total" END AS "paid_middle_value",
    ROW_NUMBER() OVER (PARTITION BY "o"."status", CASE WHEN "o"."total" > 7 THEN "o"."total" END IS NULL ORDER BY CASE WHEN "o"."total" > 7 THEN "o"."total" END) AS "paid_middle_place",
    COUNT(CASE WHEN "o"."total" > 7 THEN "o"."total" END) OVER (PARTITION BY "o"."status") AS "paid_middle_count"
  FROM "orders" AS "o"
)
SELECT
  "status",
  AVG(CASE WHEN "middle_place" * 2 BETWEEN "middle_count" AND "middle_count" + 2 THEN "middle_value" END) AS "middle",
  AVG(CASE WHEN "paid_middle_place" * 2 BETWEEN "paid_middle_count" AND "paid_middle_count" + 2 THEN "paid_middle_value" END) AS "paid_middle"
FROM "o"
GROUP BY
  "status";

-- spread
WITH "o" AS (
  SELECT
    "o"."status",
    "o"."total",
    "o"."total" AS "deviation_value",
    AVG("o"."total") OVER (PARTITION BY "o"."status") AS "deviation_mean",
    "o"."total" AS "variance_value",
    AVG("o"."total") OVER (PARTITION BY "o"."status") AS "variance_mean"
  FROM "orders" AS "o"
)
SELECT
  "status",
  SQRT(CAST(SUM(("deviation_value" - "deviation_mean") * ("deviation_value" - "deviation_mean")) AS REAL) / (COUNT("deviation_value") - 1)) AS "deviation",
  CAST(SUM(("variance_value" - "variance_mean") * ("variance_value" - "variance_mean")) AS REAL) / (COUNT("variance_value") - 1) AS "variance"
FROM "o"
GROUP BY
  "status";

-- distinct texts, sorted by themselves
WITH "r" AS (
  SELECT
    "o"."status",
    "o"."id"
  FROM "orders" AS "o"
  ORDER BY
    "o"."status" DESC,
    "o"."id"
)
SELECT
  GROUP_CONCAT(DISTINCT "status") AS "all"
FROM "r";

-- texts in the order of the relation
WITH "r" AS (
  SELECT
    "c"."name",
    "c"."country"
  FROM "customers" AS "c"
  ORDER BY
    "c"."name" DESC
)
SELECT
  "country",
  GROUP_CONCAT("name", '; ') AS "names"
FROM "r"
GROUP BY
  "country";

-- by a derived column
SELECT
  CASE WHEN "o"."total" > 20 THEN 'big' ELSE 'small' END AS "size",
  COUNT(*) AS "n"
FROM "orders" AS "o"
GROUP BY
  CASE WHEN "o"."total" > 20 THEN 'big' ELSE 'small' END;

-- by a constant
WITH "d" AS (
  SELECT
    1 AS "one"
  FROM "orders" AS "o"
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
  FROM "orders" AS "o"
  GROUP BY
    "o"."customer"
)
SELECT
  MAX("n") AS "most",
  COUNT(*) AS "groups"
FROM "a";

-- of a limit
WITH "l" AS (
  SELECT
    "o"."total"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
  LIMIT 3
)
SELECT
  SUM("total") AS "total"
FROM "l";

-- keys alone
SELECT
  "o"."status",
  "o"."customer"
FROM "orders" AS "o"
GROUP BY
  "o"."status",
  "o"."customer";

-- one row even when only a constant is asked for
SELECT
  'x' AS "word"
FROM (
  SELECT
    COUNT(*) AS "row_count"
  FROM "orders" AS "o"
) AS "one_row";

-- any value of the group
SELECT
  "o"."id",
  "o"."status" AS "status"
FROM "orders" AS "o"
GROUP BY
  "o"."id";

-- any value of everything
SELECT
  MIN("t"."order_id") AS "some"
FROM "tags" AS "t"
WHERE
  "t"."order_id" = 1;

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
    "v"."page",
    "v"."spent"
  FROM "visits" AS "v"
), "d_2" AS (
  SELECT
    "page",
    "spent",
    "spent" AS "mid_value",
    ROW_NUMBER() OVER (PARTITION BY "page", "spent" IS NULL ORDER BY "spent") AS "mid_place",
    COUNT("spent") OVER (PARTITION BY "page") AS "mid_count"
  FROM "d"
)
SELECT
  "page",
  AVG(CASE WHEN "mid_place" * 2 BETWEEN "mid_count" AND "mid_count" + 2 THEN "mid_value" END) AS "mid"
FROM "d_2"
GROUP BY
  "page";

-- texts in an order that a constant says nothing of
WITH "s" AS (
  SELECT
    "t"."order_id",
    "t"."tag"
  FROM "tags" AS "t"
  ORDER BY
    "t"."tag" DESC
)
SELECT
  "order_id",
  GROUP_CONCAT("tag", '+') AS "tags"
FROM "s"
GROUP BY
  "order_id";
