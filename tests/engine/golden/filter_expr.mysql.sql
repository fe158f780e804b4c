-- two filters become one WHERE
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
WHERE
  (`status` = 'paid' OR `total` > 20) AND `total` < 40;

-- NULL is neither true nor false
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
WHERE
  NOT `total` = 12;

-- after an aggregate
SELECT
  `customer`,
  COUNT(*) AS `n`
FROM `orders`
GROUP BY
  `customer`
HAVING
  COUNT(*) > 1;

-- after the spread of everything
WITH `a` AS (
  SELECT
    VAR_SAMP(`id`) AS `spread`
  FROM `orders`
  LIMIT 18446744073709551615
)
SELECT
  `spread`
FROM `a`
WHERE
  `spread` IS NULL;

-- after the spread of everything, counted
WITH `a` AS (
  SELECT
    VAR_SAMP(`id`) AS `spread`
  FROM `orders`
  LIMIT 18446744073709551615
)
SELECT
  COUNT(*) AS `known`
FROM `a`
WHERE
  `spread` IS NOT NULL;

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
  LIMIT 4
)
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `l`
WHERE
  `status` = 'paid'
ORDER BY
  `id`;

-- on a window column
WITH `w` AS (
  SELECT
    `id`,
    `customer`,
    `status`,
    `total`,
    ROW_NUMBER() OVER (PARTITION BY `status` ORDER BY `id` DESC) AS `place`
  FROM `orders`
)
SELECT
  `id`,
  `customer`,
  `status`,
  `total`,
  `place`
FROM `w`
WHERE
  `place` = 1;

-- on a derived column
SELECT
  `id`,
  `customer`,
  `status`,
  `total`,
  `total` * 2 AS `double`
FROM `orders`
WHERE
  (`total` * 2) > 24;

-- beside a window that nobody reads
SELECT
  `id`
FROM `orders`
WHERE
  `total` > 12;
