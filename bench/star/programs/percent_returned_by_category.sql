SELECT p.category, 100.0 * COUNT(*) FILTER (WHERE s.status = 'returned') / COUNT(*) AS percent
FROM sales s JOIN products p ON p.product_key = s.product_key
GROUP BY p.category
ORDER BY percent DESC
