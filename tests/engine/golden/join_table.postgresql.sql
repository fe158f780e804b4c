-- inner, a right name taken
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  "c"."id" AS "c_id",
  "c"."name",
  "c"."country"
FROM "orders" AS "o"
JOIN "customers" AS "c"
  ON "o"."customer" = "c"."id";

-- left, padded with NULL
SELECT
  "c"."name",
  "o"."id" AS "o_id"
FROM "customers" AS "c"
LEFT JOIN "orders" AS "o"
  ON "c"."id" = "o"."customer";

-- left, a constant on the right is padded, too
WITH "d" AS (
  SELECT
    "customer",
    1 AS "flag"
  FROM "orders"
)
SELECT
  "c"."name",
  "d"."flag"
FROM "customers" AS "c"
LEFT JOIN "d"
  ON "c"."id" = "d"."customer";

-- left, a filter on the right restricts the matches
SELECT
  "c"."name",
  "o"."id" AS "f_id"
FROM "customers" AS "c"
LEFT JOIN "orders" AS "o"
  ON "c"."id" = "o"."customer" AND "o"."status" = 'open';

-- left, a filter afterwards restricts the rows
SELECT
  "c"."name"
FROM "customers" AS "c"
LEFT JOIN "orders" AS "o"
  ON "c"."id" = "o"."customer"
WHERE
  "o"."id" IS NULL;

-- left, onto one row: its rows may repeat others
WITH "m" AS (
  SELECT
    MIN("customer") AS "first"
  FROM "orders"
), "j" AS (
  SELECT
    "c"."country"
  FROM "customers" AS "c"
  LEFT JOIN "m"
    ON "c"."id" = "m"."first"
)
SELECT
  COUNT(*) AS "n"
FROM "customers" AS "c"
JOIN "j"
  ON "c"."country" = "j"."country";

-- left, only what has no match
SELECT
  "c"."name"
FROM "customers" AS "c"
WHERE
  NOT EXISTS(
    SELECT
      1
    FROM "orders" AS "o"
    WHERE
      "o"."status" = 'paid'
      AND "c"."id" = "o"."customer"
      AND ("c"."name" <> 'Bo' OR "o"."customer" > 2)
  );

-- left, only what has no match among the first
WITH "l" AS (
  SELECT DISTINCT
    "customer"
  FROM "orders"
  ORDER BY
    "customer" DESC
  LIMIT 1
)
SELECT
  "c"."country",
  COUNT(*) AS "n"
FROM "customers" AS "c"
WHERE
  NOT EXISTS(SELECT 1 FROM "l" WHERE "c"."id" = "l"."customer")
GROUP BY
  "c"."country";

-- left, what has no match in the table itself
SELECT
  "o"."id",
  "o"."customer",
  "o"."total"
FROM "orders" AS "o"
WHERE
  NOT EXISTS(
    SELECT
      1
    FROM "orders" AS "p"
    WHERE
      "o"."customer" = "p"."customer" AND "p"."total" > "o"."total"
  );

-- left, only what has no match, grouped for its own sake
SELECT
  "c"."name"
FROM "customers" AS "c"
WHERE
  NOT EXISTS(SELECT 1 FROM "orders" AS "o" WHERE "c"."id" = "o"."customer");

-- left, only what has no match among large groups
WITH "h" AS (
  SELECT
    "customer"
  FROM "orders"
  GROUP BY
    "customer"
  HAVING
    COUNT(*) > 1
)
SELECT
  "c"."name"
FROM "customers" AS "c"
WHERE
  NOT EXISTS(SELECT 1 FROM "h" WHERE "c"."id" = "h"."customer");

-- left with a condition
SELECT
  "c"."name",
  "o"."total"
FROM "customers" AS "c"
LEFT JOIN "orders" AS "o"
  ON "c"."id" = "o"."customer" AND "o"."total" > 12;

-- by a condition alone
SELECT
  "o"."id",
  "p"."id" AS "p_id"
FROM "orders" AS "o"
JOIN "orders" AS "p"
  ON "o"."total" < "p"."total" AND "p"."status" = 'paid';

-- cross
SELECT
  "c"."name",
  "g"."tag"
FROM "customers" AS "c"
CROSS JOIN "tags" AS "g";

-- with itself
SELECT
  "o"."id",
  "o_2"."id" AS "o_id"
FROM "orders" AS "o"
JOIN "orders" AS "o_2"
  ON "o"."customer" = "o_2"."customer";

-- three tables in one SELECT
SELECT
  "o"."id",
  "c"."name",
  "g"."tag"
FROM "orders" AS "o"
LEFT JOIN "customers" AS "c"
  ON "o"."customer" = "c"."id"
JOIN "tags" AS "g"
  ON "o"."id" = "g"."order_id";

-- that only filters
SELECT
  "status",
  "total"
FROM "orders"
WHERE
  "customer" IN (SELECT "id" FROM "customers" WHERE "country" = 'pt');

-- that only filters by what only filters
WITH "q" AS (
  SELECT
    "id"
  FROM "orders"
  WHERE
    "customer" IN (SELECT "id" FROM "customers")
)
SELECT
  "tag"
FROM "tags"
WHERE
  "order_id" IN (SELECT "id" FROM "q");

-- with an aggregate on the right
WITH "a" AS (
  SELECT
    "customer",
    SUM("total") AS "spent"
  FROM "orders"
  GROUP BY
    "customer"
)
SELECT
  "c"."name",
  "a"."spent"
FROM "customers" AS "c"
LEFT JOIN "a"
  ON "c"."id" = "a"."customer";

-- with a join on the right
WITH "k" AS (
  SELECT
    "o"."customer",
    "g"."tag"
  FROM "orders" AS "o"
  JOIN "tags" AS "g"
    ON "o"."id" = "g"."order_id"
)
SELECT
  "c"."name",
  "k"."tag"
FROM "customers" AS "c"
LEFT JOIN "k"
  ON "c"."id" = "k"."customer";
