WITH first_sale AS (
  SELECT customer_key, MIN(date_key) AS date_key FROM sales GROUP BY customer_key
)
SELECT d.year, d.month, COUNT(*) AS customers
FROM first_sale f JOIN dates d ON d.date_key = f.date_key
GROUP BY d.year, d.month
ORDER BY d.year, d.month
