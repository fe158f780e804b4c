SELECT d.day, SUM(s.quantity) AS pieces,
       AVG(SUM(s.quantity)) OVER (ORDER BY d.day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week_mean
FROM sales s JOIN dates d ON d.date_key = s.date_key
GROUP BY d.day
ORDER BY d.day
