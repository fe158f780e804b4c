SELECT p.product_key, p.name, COUNT(*) AS sales
FROM sales s
JOIN customers c ON c.customer_key = s.customer_key
JOIN products p ON p.product_key = s.product_key
WHERE c.country = 'PT'
GROUP BY p.product_key, p.name
ORDER BY sales DESC, p.product_key
LIMIT 10
