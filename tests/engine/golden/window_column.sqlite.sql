-- numbered
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  ROW_NUMBER() OVER (PARTITION BY "o"."status" ORDER BY "o"."total" DESC, "o"."id") AS "place"
FROM "orders" AS "o";

-- ranked
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  RANK() OVER (ORDER BY "o"."total" DESC) AS "place",
  DENSE_RANK() OVER (ORDER BY "o"."total" DESC) AS "dense",
  PERCENT_RANK() OVER (ORDER BY "o"."total") AS "share",
  CUME_DIST() OVER (ORDER BY "o"."total") AS "below"
FROM "orders" AS "o";

-- in buckets
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  NTILE(3) OVER (ORDER BY "o"."id") AS "bucket"
FROM "orders" AS "o";

-- before and after
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  LAG("o"."total") OVER (ORDER BY "o"."id") AS "last_one",
  LEAD("o"."total", 2, -1) OVER (ORDER BY "o"."id") AS "next_but_one"
FROM "orders" AS "o";

-- running and whole
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  SUM("o"."total") OVER (ORDER BY "o"."id") AS "running",
  SUM("o"."total") OVER (PARTITION BY "o"."status") AS "share_of",
  COUNT(*) OVER (PARTITION BY "o"."status") AS "n"
FROM "orders" AS "o";

-- in a frame
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  SUM("o"."total") OVER (ORDER BY "o"."id" ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS "nearby",
  MAX("o"."total") OVER (ORDER BY "o"."id" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS "latest"
FROM "orders" AS "o";

-- first and last
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  FIRST_VALUE("o"."total") OVER (PARTITION BY "o"."status" ORDER BY "o"."id") AS "first",
  LAST_VALUE("o"."total") OVER (PARTITION BY "o"."status" ORDER BY "o"."id" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "last"
FROM "orders" AS "o";

-- in the order of the relation
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  ROW_NUMBER() OVER (ORDER BY "o"."id" DESC) AS "place",
  LAST_VALUE("o"."id") OVER (PARTITION BY "o"."status" ORDER BY "o"."id" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "last"
FROM "orders" AS "o"
ORDER BY
  "o"."id" DESC;

-- a frame in the order of the relation
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  SUM("o"."total") OVER (ORDER BY "o"."id" DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "running",
  COUNT("o"."total") OVER (PARTITION BY "o"."status" ORDER BY "o"."id" DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS "nearby"
FROM "orders" AS "o"
ORDER BY
  "o"."id" DESC;

-- a frame of all rows
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  SUM("o"."total") OVER (PARTITION BY "o"."status" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS "all_of_it"
FROM "orders" AS "o";

-- over aggregates
SELECT
  "o"."customer",
  SUM("o"."total") AS "spent",
  RANK() OVER (ORDER BY SUM("o"."total") DESC) AS "place"
FROM "orders" AS "o"
GROUP BY
  "o"."customer";

-- over a window
WITH "w" AS (
  SELECT
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total",
    ROW_NUMBER() OVER (ORDER BY "o"."id") AS "place"
  FROM "orders" AS "o"
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  "place",
  SUM("place") OVER () AS "sum_of_places"
FROM "w";

-- before a limit it sees every row
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total",
  COUNT(*) OVER () AS "n"
FROM "orders" AS "o"
ORDER BY
  "o"."id"
LIMIT 2;

-- after a limit it sees what is left
WITH "l" AS (
  SELECT
    "o"."id",
    "o"."customer",
    "o"."status",
    "o"."total"
  FROM "orders" AS "o"
  ORDER BY
    "o"."id"
  LIMIT 3
)
SELECT
  "id",
  "customer",
  "status",
  "total",
  SUM("total") OVER () AS "sum"
FROM "l"
ORDER BY
  "id";

-- a text from another group, computed with
SELECT
  "c"."name",
  COUNT(*) AS "n",
  LAG("c"."name") OVER (ORDER BY "c"."name") AS "before",
  COALESCE(LAG("c"."name") OVER (ORDER BY "c"."name"), 'first') AS "told"
FROM "customers" AS "c"
GROUP BY
  "c"."name";
