SELECT s.store_key, d.month, COUNT(DISTINCT s.product_key) AS products
FROM sales s JOIN dates d ON d.date_key = s.date_key
WHERE d.year = 2023
GROUP BY s.store_key, d.month
ORDER BY s.store_key, d.month
