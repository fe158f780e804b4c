-- union
SELECT
  "o"."customer"
FROM "orders" AS "o"
UNION
SELECT
  "c"."id"
FROM "customers" AS "c";

-- union_all
SELECT
  "o"."customer"
FROM "orders" AS "o"
UNION ALL
SELECT
  "c"."id"
FROM "customers" AS "c";

-- intersect
SELECT
  "o"."customer"
FROM "orders" AS "o"
INTERSECT
SELECT
  "c"."id"
FROM "customers" AS "c";

-- except
SELECT
  "o"."customer"
FROM "orders" AS "o"
EXCEPT
SELECT
  "c"."id"
FROM "customers" AS "c";

-- of one relation with itself
WITH "u" AS (
  SELECT
    "g"."tag"
  FROM "tags" AS "g"
  UNION ALL
  SELECT
    "g"."tag"
  FROM "tags" AS "g"
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
    "o"."id"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
  LIMIT 2
), "u" AS (
  SELECT
    "id"
  FROM "a"
  UNION ALL
  SELECT
    "c"."id"
  FROM "customers" AS "c"
)
SELECT
  "id"
FROM "u"
ORDER BY
  "id" DESC;

-- of a set operation
WITH "u" AS (
  SELECT
    "o"."customer"
  FROM "orders" AS "o"
  EXCEPT
  SELECT
    "b"."id"
  FROM "customers" AS "b"
)
SELECT
  "customer"
FROM "u"
UNION ALL
SELECT
  "b"."id"
FROM "customers" AS "b";

-- fewer columns afterwards
WITH "u" AS (
  SELECT
    "o"."id"
  FROM "orders" AS "o"
  UNION ALL
  SELECT
    "p"."id"
  FROM "orders" AS "p"
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
    "orders"."customer",
    COUNT(*) AS "n"
  FROM "orders"
  GROUP BY
    "orders"."customer"
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
