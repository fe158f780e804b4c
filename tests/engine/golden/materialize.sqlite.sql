-- read twice
WITH "b" AS (
  SELECT
    MAX("spent") AS "top"
  FROM "m"
)
SELECT
  "m"."customer",
  "m"."spent",
  "b"."top"
FROM "m"
JOIN "b"
  ON "m"."spent" = "b"."top";

-- keeps the order
SELECT
  "status"
FROM "m_2"
ORDER BY
  "id" DESC;

-- at the end
SELECT
  "id",
  "customer",
  "status",
  "total"
FROM "m_3";
