SELECT s.status, COUNT(*) AS sales, SUM(s.quantity) AS pieces
FROM sales s JOIN dates d ON d.date_key = s.date_key
WHERE d.day = DATE '2022-06-15'
GROUP BY s.status
