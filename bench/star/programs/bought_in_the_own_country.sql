SELECT c.country, COUNT(*) AS sales
FROM sales s
JOIN customers c ON c.customer_key = s.customer_key
JOIN stores st ON st.store_key = s.store_key AND st.country = c.country
GROUP BY c.country
