SELECT COUNT(*) AS products, MAX(rate) AS worst
FROM (
  SELECT 1.0 * COUNT(*) FILTER (WHERE status = 'returned') / COUNT(*) FILTER (WHERE status = 'paid') AS rate
  FROM sales
  GROUP BY product_key
  HAVING COUNT(*) FILTER (WHERE status = 'paid') > 0
) AS rates
WHERE rate > 0.35
