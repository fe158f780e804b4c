SELECT d.year,
       SUM(s.quantity) FILTER (WHERE st.region = 'north') AS north, SUM(s.quantity) FILTER (WHERE st.region = 'south') AS south,
       SUM(s.quantity) FILTER (WHERE st.region = 'east') AS east, SUM(s.quantity) FILTER (WHERE st.region = 'west') AS west
FROM sales s JOIN dates d ON d.date_key = s.date_key JOIN stores st ON st.store_key = s.store_key
GROUP BY d.year
ORDER BY d.year
