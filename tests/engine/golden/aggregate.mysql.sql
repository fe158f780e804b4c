-- by one column
SELECT
  `status`,
  COUNT(*) AS `n`,
  SUM(`total`) AS `total`,
  AVG(`total`) AS `mean`,
  MIN(`total`) AS `low`,
  MAX(`total`) AS `high`
FROM `orders`
GROUP BY
  `status`;

-- of everything
SELECT
  COUNT(*) AS `n`,
  COUNT(`total`) AS `known`,
  COUNT(DISTINCT `customer`) AS `who`,
  SUM(DISTINCT `total`) AS `different`
FROM `orders`;

-- of nothing
SELECT
  COUNT(*) AS `n`,
  MAX(`id`) AS `top`
FROM `empty_log`;

-- of nothing, grouped
SELECT
  `note`,
  COUNT(*) AS `n`
FROM `empty_log`
GROUP BY
  `note`;

-- with filters
SELECT
  `customer`,
  COUNT(CASE WHEN `total` > 12 THEN 1 END) AS `big`,
  SUM(CASE WHEN `status` = 'paid' THEN `total` END) AS `paid`,
  COUNT(DISTINCT CASE WHEN `total` >= 12 THEN `status` END) AS `kinds`
FROM `orders`
GROUP BY
  `customer`;

-- median
WITH `o` AS (
  SELECT
    `status`,
    `total`,
    `total` AS `middle_value`,
    ROW_NUMBER() OVER (PARTITION BY `status`, `total` IS NULL ORDER BY `total`) AS `middle_place`,
    COUNT(`total`) OVER (PARTITION BY `status`) AS `middle_count`,
    CASE WHEN `total` > 7 THEN `total` END AS `paid_middle_value`,
    ROW_NUMBER() OVER (PARTITION BY `status`, CASE WHEN `total` > 7 THEN `total` END IS NULL ORDER BY CASE WHEN `total` > 7 THEN `total` END) AS `paid_middle_place`,
    COUNT(CASE WHEN `total` > 7 THEN `total` END) OVER (PARTITION BY `status`) AS `paid_middle_count`
  FROM `orders`
)
SELECT
  `status`,
  AVG(CASE WHEN `middle_place` * 2 BETWEEN `middle_count` AND `middle_count` + 2 THEN `middle_value` END) AS `middle`,
  AVG(CASE WHEN `paid_middle_place` * 2 BETWEEN `paid_middle_count` AND `paid_middle_count` + 2 THEN `paid_middle_value` END) AS `paid_middle`
FROM `o`
GROUP BY
  `status`;

-- spread
SELECT
  `status`,
  STDDEV_SAMP(`total`) AS `deviation`,
  VAR_SAMP(`total`) AS `variance`
FROM `orders`
GROUP BY
  `status`;

-- distinct texts, sorted by themselves
SELECT
  GROUP_CONCAT(DISTINCT `status` ORDER BY `status` DESC SEPARATOR ',') AS `all`
FROM `orders`;

-- texts in the order of the relation
SELECT
  `country`,
  GROUP_CONCAT(`name` ORDER BY `name` DESC SEPARATOR '; ') AS `names`
FROM `customers`
GROUP BY
  `country`;

-- by a derived column
SELECT
  CASE WHEN `total` > 20 THEN 'big' ELSE 'small' END AS `size`,
  COUNT(*) AS `n`
FROM `orders`
GROUP BY
  CASE WHEN `total` > 20 THEN 'big' ELSE 'small' END;

-- by a constant
WITH `d` AS (
  SELECT
    1 AS `one`
  FROM `orders`
)
SELECT
  `one`,
  COUNT(*) AS `n`
FROM `d`
GROUP BY
  `one`;

-- of an aggregate
WITH `a` AS (
  SELECT
    COUNT(*) AS `n`
  FROM `orders`
  GROUP BY
    `customer`
)
SELECT
  MAX(`n`) AS `most`,
  COUNT(*) AS `groups`
FROM `a`;

-- of a limit
WITH `l` AS (
  SELECT
    `total`
  FROM `orders`
  ORDER BY
    `id`
  LIMIT 3
)
SELECT
  SUM(`total`) AS `total`
FROM `l`;

-- keys alone
SELECT
  `status`,
  `customer`
FROM `orders`
GROUP BY
  `status`,
  `customer`;

-- one row even when only a constant is asked for
SELECT
  'x' AS `word`
FROM (
  SELECT
    COUNT(*) AS `row_count`
  FROM `orders`
) AS `one_row`;

-- any value of the group
SELECT
  `id`,
  MIN(`status`) AS `status`
FROM `orders`
GROUP BY
  `id`;

-- any value of everything
SELECT
  MIN(`order_id`) AS `some`
FROM `tags`
WHERE
  `order_id` = 1;

-- by the key of a joined table
SELECT
  `orders`.`customer`,
  `customers`.`name`,
  SUM(`orders`.`total`) AS `spent`
FROM `orders`
JOIN `customers`
  ON `orders`.`customer` = `customers`.`id`
GROUP BY
  `orders`.`customer`,
  `customers`.`name`;

-- median between two decimals
WITH `d` AS (
  SELECT DISTINCT
    `page`,
    `spent`
  FROM `visits`
), `d_2` AS (
  SELECT
    `page`,
    `spent`,
    `spent` AS `mid_value`,
    ROW_NUMBER() OVER (PARTITION BY `page`, `spent` IS NULL ORDER BY `spent`) AS `mid_place`,
    COUNT(`spent`) OVER (PARTITION BY `page`) AS `mid_count`
  FROM `d`
)
SELECT
  `page`,
  AVG(CASE WHEN `mid_place` * 2 BETWEEN `mid_count` AND `mid_count` + 2 THEN `mid_value` END) AS `mid`
FROM `d_2`
GROUP BY
  `page`;

-- texts in an order that a constant says nothing of
SELECT
  `order_id`,
  GROUP_CONCAT(`tag` ORDER BY `tag` DESC SEPARATOR '+') AS `tags`
FROM `tags`
GROUP BY
  `order_id`;
