SELECT p.product_key, p.name, SUM(s.quantity * s.unit_price) AS revenue
FROM sales s JOIN products p ON p.product_key = s.product_key
GROUP BY p.product_key, p.name
ORDER BY revenue DESC, p.product_key
LIMIT 10
