SELECT p.product_key, p.name
FROM products p
WHERE NOT EXISTS (
  SELECT 1 FROM sales s JOIN dates d ON d.date_key = s.date_key
  WHERE s.product_key = p.product_key AND d.year = 2022 AND d.month = 5
)
ORDER BY p.product_key
