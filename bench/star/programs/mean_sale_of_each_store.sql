SELECT s.store_key, st.name, AVG(s.quantity * s.unit_price) AS mean, COUNT(*) AS sales
FROM sales s JOIN stores st ON st.store_key = s.store_key
GROUP BY s.store_key, st.name
ORDER BY s.store_key
