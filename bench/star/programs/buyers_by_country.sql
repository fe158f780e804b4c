SELECT c.country, COUNT(DISTINCT s.customer_key) AS buyers
FROM sales s JOIN customers c ON c.customer_key = s.customer_key
GROUP BY c.country
