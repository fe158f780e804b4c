SELECT d.month, SUM(s.quantity * s.unit_price) AS revenue
FROM sales s
JOIN dates d ON d.date_key = s.date_key
JOIN products p ON p.product_key = s.product_key
WHERE p.category = 'toys' AND d.year = 2023 AND s.status = 'paid'
GROUP BY d.month
ORDER BY d.month
