SELECT d.year, SUM(s.quantity * s.unit_price) AS revenue
FROM sales s JOIN dates d ON d.date_key = s.date_key
GROUP BY d.year
ORDER BY d.year
