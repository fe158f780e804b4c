-- read twice
WITH "m" AS MATERIALIZED (
  SELECT
    "o"."customer",
    SUM("o"."total") AS "spent"
  FROM "orders" AS "o"
  GROUP BY
    "o"."customer"
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
    "o"."status",
    "o"."id"
  FROM "orders" AS "o"
)
SELECT
  "status"
FROM "m"
ORDER BY
  "id" DESC;

-- at the end
WITH "m" AS MATERIALIZED (
  SELECT
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total"
  FROM "orders" AS "o"
)
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "m";
