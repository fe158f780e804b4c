-- some columns in a new order, one renamed
SELECT
  `total`,
  `id` AS `number`
FROM `orders`;

-- one column twice
SELECT
  `id`,
  `id` AS `again`
FROM `orders`;

-- names changed crosswise
SELECT
  `id` AS `customer`,
  `customer` AS `id`
FROM `orders`;

-- an order that is no longer among the columns
SELECT
  `status`
FROM `orders`
ORDER BY
  `total` DESC,
  `id`;

-- rows stay equal
SELECT
  `tag`
FROM `tags`;

-- fewer columns after distinct
WITH `d` AS (
  SELECT DISTINCT
    `status`,
    `total`
  FROM `orders`
)
SELECT
  `total`
FROM `d`;
