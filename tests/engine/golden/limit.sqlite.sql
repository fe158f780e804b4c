-- with an offset
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."id"
LIMIT 2
OFFSET 3;

-- none
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
LIMIT 0;

-- of a limit
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."id"
LIMIT 4
OFFSET 3;

-- past the end of a limit
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."id"
LIMIT 0
OFFSET 5;

-- then ordered anew
WITH "l" AS (
  SELECT
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total"
  FROM "orders" AS "o"
  ORDER BY
    "o"."total" DESC,
    "o"."id"
  LIMIT 3
)
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "l"
ORDER BY
  "id";

-- then joined
WITH "l" AS (
  SELECT
    "o"."id",
    "o"."customer"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
  LIMIT 3
)
SELECT
  "l"."id",
  "c"."name"
FROM "l"
LEFT JOIN "customers" AS "c"
  ON "l"."customer" = "c"."id";
