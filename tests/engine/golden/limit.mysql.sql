-- with an offset
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
ORDER BY
  `id`
LIMIT 2
OFFSET 3;

-- none
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
LIMIT 0;

-- of a limit
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
ORDER BY
  `id`
LIMIT 4
OFFSET 3;

-- past the end of a limit
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `orders`
ORDER BY
  `id`
LIMIT 0
OFFSET 5;

-- then ordered anew
WITH `l` AS (
  SELECT
    `id`,
    `customer`,
    `status`,
    `total`
  FROM `orders`
  ORDER BY
    `total` DESC,
    `id`
  LIMIT 3
)
SELECT
  `id`,
  `customer`,
  `status`,
  `total`
FROM `l`
ORDER BY
  `id`;

-- then joined
WITH `l` AS (
  SELECT
    `id`,
    `customer`
  FROM `orders`
  ORDER BY
    `id`
  LIMIT 3
)
SELECT
  `l`.`id`,
  `c`.`name`
FROM `l`
LEFT JOIN `customers` AS `c`
  ON `l`.`customer` = `c`.`id`;
