WITH first_sale AS (
  SELECT customer_key, MIN(date_key) AS first_key FROM sales GROUP BY customer_key
)
SELECT FLOOR(f.first_key / 90.0) AS cohort, FLOOR((s.date_key - f.first_key) / 90.0) AS quarters_later,
       COUNT(DISTINCT s.customer_key) AS customers
FROM sales s JOIN first_sale f ON f.customer_key = s.customer_key
GROUP BY 1, 2
ORDER BY 1, 2
