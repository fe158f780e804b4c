SELECT status, COUNT(*) AS customers
FROM (
  SELECT status, ROW_NUMBER() OVER (PARTITION BY customer_key ORDER BY sale_key DESC) AS age FROM sales
) AS numbered
WHERE age = 1
GROUP BY status
