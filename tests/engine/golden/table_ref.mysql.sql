-- a table
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`;

-- a table with no rows
SELECT
  `id`,
  `note`
FROM `empty_log`;

-- two tables under names of each other
SELECT
  `orders`.`name`,
  `customers`.`total`
FROM `customers` AS `orders`
JOIN `orders` AS `customers`
  ON `orders`.`id` = `customers`.`customer`;
