SELECT st.region, d.year, SUM(s.quantity * s.unit_price) AS revenue, COUNT(*) AS sales
FROM sales s
JOIN dates d ON d.date_key = s.date_key
JOIN stores st ON st.store_key = s.store_key
GROUP BY st.region, d.year
ORDER BY st.region, d.year
