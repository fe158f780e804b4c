-- over all columns
SELECT DISTINCT
  "g"."order_id",
  "g"."tag"
FROM "tags" AS "g";

-- of one column
SELECT DISTINCT
  "o"."status"
FROM "orders" AS "o";

-- after a limit
WITH "s" AS (
  SELECT
    "o"."status"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
  LIMIT 3
)
SELECT DISTINCT
  "status"
FROM "s";

-- then ordered and limited
SELECT DISTINCT
  "o"."status"
FROM "orders" AS "o"
ORDER BY
  "o"."status" DESC
LIMIT 2;

-- then filtered
WITH "d" AS (
  SELECT DISTINCT
    "o"."status"
  FROM "orders" AS "o"
)
SELECT
  "status"
FROM "d"
WHERE
  "status" <> 'void';
