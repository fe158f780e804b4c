SELECT p.category, SUM(s.quantity * s.unit_price) AS revenue,
       SUM(s.quantity * s.unit_price) / SUM(SUM(s.quantity * s.unit_price)) OVER () AS share
FROM sales s JOIN products p ON p.product_key = s.product_key
GROUP BY p.category
ORDER BY share DESC
