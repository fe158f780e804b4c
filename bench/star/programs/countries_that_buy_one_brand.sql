SELECT c.country, COUNT(*) AS buyers
FROM customers c
WHERE c.customer_key IN (
  SELECT s.customer_key FROM sales s JOIN products p ON p.product_key = s.product_key WHERE p.brand = 'brand 7'
)
GROUP BY c.country
