SELECT c.country, COUNT(*) AS customers
FROM customers c
WHERE NOT EXISTS (SELECT 1 FROM sales s WHERE s.customer_key = c.customer_key)
GROUP BY c.country
