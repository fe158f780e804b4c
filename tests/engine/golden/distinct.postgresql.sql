-- over all columns
SELECT DISTINCT
  "order_id",
  "tag"
FROM "tags";

-- of one column
SELECT DISTINCT
  "status"
FROM "orders";

-- after a limit
WITH "s" AS (
  SELECT
    "status"
  FROM "orders"
  ORDER BY
    "id"
  LIMIT 3
)
SELECT DISTINCT
  "status"
FROM "s";

-- then ordered and limited
SELECT DISTINCT
  "status"
FROM "orders"
ORDER BY
  "status" DESC
LIMIT 2;

-- then filtered
WITH "d" AS (
  SELECT DISTINCT
    "status"
  FROM "orders"
)
SELECT
  "status"
FROM "d"
WHERE
  "status" <> 'void';
