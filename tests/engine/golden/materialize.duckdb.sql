-- read twice
WITH "m" AS MATERIALIZED (
  SELECT
    "customer",
    SUM("total") AS "spent"
  FROM "orders"
  GROUP BY
    "customer"
), "b" AS (
  SELECT
    MAX("spent") AS "top"
  FROM "m"
)
SELECT
  "m"."customer",
  "m"."spent",
  "b"."top"
FROM "m"
JOIN "b"
  ON "m"."spent" = "b"."top";

-- keeps the order
WITH "m" AS MATERIALIZED (
  SELECT
    "status",
    "id"
  FROM "orders"
)
SELECT
  "status"
FROM "m"
ORDER BY
  "id" DESC;

-- at the end
WITH "m" AS MATERIALIZED (
  SELECT
    "id",
    "customer",
    "status",
    "total"
  FROM "orders"
)
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "m";
