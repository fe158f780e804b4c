-- some columns in a new order, one renamed
SELECT
  "o"."total",
  "o"."id" AS "number"
FROM "orders" AS "o";

-- one column twice
SELECT
  "o"."id",
  "o"."id" AS "again"
FROM "orders" AS "o";

-- names changed crosswise
SELECT
  "o"."id" AS "customer",
  "o"."customer" AS "id"
FROM "orders" AS "o";

-- an order that is no longer among the columns
SELECT
  "o"."status"
FROM "orders" AS "o"
ORDER BY
  "o"."total" DESC,
  "o"."id";

-- rows stay equal
SELECT
  "g"."tag"
FROM "tags" AS "g";

-- fewer columns after distinct
WITH "d" AS (
  SELECT DISTINCT
    "o"."status",
    "o"."total"
  FROM "orders" AS "o"
)
SELECT
  "total"
FROM "d";
