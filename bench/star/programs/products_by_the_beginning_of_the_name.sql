SELECT p.name, SUM(s.quantity) AS pieces
FROM sales s JOIN products p ON p.product_key = s.product_key
WHERE p.name LIKE 'product 12%' AND s.status <> 'returned'
GROUP BY p.name
ORDER BY pieces DESC, p.name
LIMIT 20
