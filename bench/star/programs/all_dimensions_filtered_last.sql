SELECT pr.kind, c.segment, SUM(s.quantity * s.unit_price) AS revenue, COUNT(*) AS sales
FROM sales s
JOIN dates d ON d.date_key = s.date_key
JOIN products p ON p.product_key = s.product_key
JOIN customers c ON c.customer_key = s.customer_key
JOIN stores st ON st.store_key = s.store_key
LEFT JOIN promotions pr ON pr.promotion_key = s.promotion_key
WHERE c.country = 'FR' AND st.region = 'north' AND d.is_weekend AND p.category IN ('food', 'drinks')
GROUP BY pr.kind, c.segment
