SELECT DATE_TRUNC('month', sold_at) AS month, COUNT(*) AS sales, MIN(sold_at) AS earliest, MAX(sold_at) AS latest
FROM sales
WHERE sold_at >= TIMESTAMP '2022-01-01 00:00:00' AND sold_at < TIMESTAMP '2022-07-01 00:00:00'
GROUP BY DATE_TRUNC('month', sold_at)
ORDER BY month
