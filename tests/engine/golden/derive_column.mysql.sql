-- whether the spread of everything is known
WITH `a` AS (
  SELECT
    STDDEV_SAMP(`id`) AS `spread`
  FROM `orders`
  LIMIT 18446744073709551615
)
SELECT
  CASE WHEN `spread` IS NULL THEN 'no' ELSE 'yes' END AS `told`
FROM `a`;

-- from the table
SELECT
  `id`,
  `customer`,
  `status`,
  `total`,
  COALESCE(`total`, 0) + 1 AS `more`
FROM `orders`;

-- from one another in one layer
SELECT
  `id`,
  (`total` * 2) - `total` AS `rest`
FROM `orders`;

-- over aggregates
SELECT
  `status`,
  SUM(`total`) AS `total`,
  COUNT(*) AS `n`,
  SUM(`total`) + COUNT(*) AS `sum`
FROM `orders`
GROUP BY
  `status`;

-- over a grouped expression
WITH `a` AS (
  SELECT
    `id` + 0 AS `late`,
    COUNT(*) AS `n`
  FROM `orders`
  GROUP BY
    `id` + 0
)
SELECT
  `late`,
  `n`,
  `late` * 2 AS `later`
FROM `a`;

-- over a window column
SELECT
  `id`,
  `customer`,
  `status`,
  `total`,
  ROW_NUMBER() OVER (ORDER BY `id`) AS `place`,
  ROW_NUMBER() OVER (ORDER BY `id`) + 1 AS `next`
FROM `orders`;

-- after a limit
WITH `l` AS (
  SELECT
    `id`,
    `customer`,
    `status`,
    `total`
  FROM `orders`
  ORDER BY
    `id`
  LIMIT 2
)
SELECT
  `id`,
  `customer`,
  `status`,
  `total`,
  `total` * 2 AS `double`
FROM `l`
ORDER BY
  `id`;
