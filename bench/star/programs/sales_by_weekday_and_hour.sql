SELECT d.weekday, EXTRACT(HOUR FROM s.sold_at) AS hour, COUNT(*) AS sales
FROM sales s JOIN dates d ON d.date_key = s.date_key
GROUP BY d.weekday, EXTRACT(HOUR FROM s.sold_at)
ORDER BY d.weekday, hour
