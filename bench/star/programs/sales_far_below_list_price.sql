SELECT p.category, COUNT(*) AS sales,
       MAX(p.list_price - s.unit_price * (100 - COALESCE(s.discount, 0)) / 100) AS largest
FROM sales s JOIN products p ON p.product_key = s.product_key
WHERE p.list_price - s.unit_price * (100 - COALESCE(s.discount, 0)) / 100 > 150
GROUP BY p.category
