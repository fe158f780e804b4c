SELECT sale_key, store_key, unit_price
FROM (
  SELECT sale_key, store_key, unit_price, AVG(unit_price) OVER (PARTITION BY store_key) AS store_mean
  FROM sales WHERE date_key = 500
) AS means
WHERE unit_price > store_mean * 1.9
ORDER BY sale_key
