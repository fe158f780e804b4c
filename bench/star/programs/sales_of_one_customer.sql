SELECT s.sale_key, d.day, p.name, st.name AS stores_name, s.quantity, s.unit_price
FROM sales s
JOIN products p ON p.product_key = s.product_key
JOIN stores st ON st.store_key = s.store_key
JOIN dates d ON d.date_key = s.date_key
WHERE s.customer_key = 4711
ORDER BY s.sale_key
