-- a table
SELECT
  "o"."id",
  "o"."customer",
  "o"."status",
  "o"."total"
FROM "orders" AS "o";

-- a table with no rows
SELECT
  "n"."id",
  "n"."note"
FROM "empty_log" AS "n";

-- two tables under names of each other
SELECT
  "orders"."name",
  "customers"."total"
FROM "customers" AS "orders"
JOIN "orders" AS "customers"
  ON "orders"."id" = "customers"."customer";
