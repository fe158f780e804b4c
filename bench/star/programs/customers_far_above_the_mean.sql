WITH by_customer AS (
  SELECT customer_key, SUM(quantity * unit_price) AS spend FROM sales GROUP BY customer_key
)
SELECT COUNT(*) AS customers FROM by_customer WHERE spend > 2 * (SELECT AVG(spend) FROM by_customer)
