-- union
SELECT
  "customer"
FROM "orders"
UNION
SELECT
  "id"
FROM "customers";

-- union_all
SELECT
  "customer"
FROM "orders"
UNION ALL
SELECT
  "id"
FROM "customers";

-- intersect
SELECT
  "customer"
FROM "orders"
INTERSECT
SELECT
  "id"
FROM "customers";

-- except
SELECT
  "customer"
FROM "orders"
EXCEPT
SELECT
  "id"
FROM "customers";

-- of one relation with itself
WITH "u" AS (
  SELECT
    "tag"
  FROM "tags"
  UNION ALL
  SELECT
    "tag"
  FROM "tags"
)
SELECT
  "tag",
  COUNT(*) AS "n"
FROM "u"
GROUP BY
  "tag";

-- of a limit
WITH "a" AS (
  SELECT
    "id"
  FROM "orders"
  ORDER BY
    "id"
  LIMIT 2
), "u" AS (
  SELECT
    "id"
  FROM "a"
  UNION ALL
  SELECT
    "id"
  FROM "customers"
)
SELECT
  "id"
FROM "u"
ORDER BY
  "id" DESC;

-- of a set operation
WITH "u" AS (
  SELECT
    "customer"
  FROM "orders"
  EXCEPT
  SELECT
    "id"
  FROM "customers"
)
SELECT
  "customer"
FROM "u"
UNION ALL
SELECT
  "id"
FROM "customers";

-- fewer columns afterwards
WITH "u" AS (
  SELECT
    "id"
  FROM "orders"
  UNION ALL
  SELECT
    "id"
  FROM "orders"
)
SELECT
  "id"
FROM "u";

-- of two parts of one join
WITH "bought" AS NOT MATERIALIZED (
  SELECT
    "orders"."total",
    "customers"."name",
    "customers"."country"
  FROM "orders"
  JOIN "customers"
    ON "orders"."customer" = "customers"."id"
)
SELECT
  "name",
  "total"
FROM "bought"
WHERE
  "country" = 'pt'
UNION ALL
SELECT
  "name",
  "total"
FROM "bought"
WHERE
  "total" > 20;

-- of two parts of one aggregate
WITH "counted" AS (
  SELECT
    "customer",
    COUNT(*) AS "n"
  FROM "orders"
  GROUP BY
    "customer"
)
SELECT
  "customer",
  "n"
FROM "counted"
WHERE
  "n" = 1
UNION ALL
SELECT
  "customer",
  "n"
FROM "counted"
WHERE
  "n" = 2;
