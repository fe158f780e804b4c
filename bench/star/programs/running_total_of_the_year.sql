SELECT d.year, d.month, SUM(s.quantity * s.unit_price) AS revenue,
       SUM(SUM(s.quantity * s.unit_price)) OVER (PARTITION BY d.year ORDER BY d.month) AS so_far
FROM sales s JOIN dates d ON d.date_key = s.date_key
GROUP BY d.year, d.month
ORDER BY d.year, d.month
