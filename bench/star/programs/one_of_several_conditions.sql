SELECT status, COUNT(*) AS sales
FROM sales
WHERE status = 'returned' OR discount > 25 OR quantity = 9 OR unit_price < 2
GROUP BY status
