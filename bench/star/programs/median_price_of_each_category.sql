SELECT p.category, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY s.unit_price) AS middle
FROM sales s JOIN products p ON p.product_key = s.product_key
GROUP BY p.category
ORDER BY p.category
