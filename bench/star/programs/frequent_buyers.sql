SELECT customer_key, COUNT(*) AS sales, SUM(quantity) AS pieces
FROM sales
GROUP BY customer_key
HAVING COUNT(*) >= 130
ORDER BY sales DESC, customer_key
