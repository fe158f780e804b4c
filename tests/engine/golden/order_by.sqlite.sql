-- NULL where the dialect puts it
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."total",
  "o"."id";

-- NULL where the dialect puts it, descending
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."total" DESC,
  "o"."id";

-- NULL first
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."total" DESC NULLS FIRST,
  "o"."id";

-- NULL last
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."total" NULLS LAST,
  "o"."id";

-- by an aggregate that shares its column's name
SELECT
  "o"."status",
  SUM("o"."total") AS "total"
FROM "orders" AS "o"
GROUP BY
  "o"."status"
ORDER BY
  "total" DESC;

-- by an aggregate that is not shown
SELECT
  "o"."status"
FROM "orders" AS "o"
GROUP BY
  "o"."status"
ORDER BY
  SUM("o"."total") DESC;

-- by a derived column
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  100 - COALESCE("o"."total", 0) AS "rest"
FROM "orders" AS "o"
ORDER BY
  "rest",
  "o"."id" DESC;

-- by a constant
SELECT
  "o"."id",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."id" DESC;

-- twice, the later counts
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o"
ORDER BY
  "o"."id" DESC;

-- kept by a filter and a projection
SELECT
  "o"."total"
FROM "orders" AS "o"
WHERE
  "o"."total" > 7
ORDER BY
  "o"."id" DESC;

-- kept through a step
WITH "w" AS (
  SELECT
    "o"."status",
    COUNT(*) OVER (PARTITION BY "o"."status") AS "n",
    "o"."id"
  FROM "orders" AS "o"
)
SELECT
  "status",
  "n"
FROM "w"
WHERE
  "n" > 1
ORDER BY
  "id" DESC;

-- dropped by an aggregate
SELECT
  "o"."status",
  COUNT(*) AS "n"
FROM "orders" AS "o"
GROUP BY
  "o"."status";
