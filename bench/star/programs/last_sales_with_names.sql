WITH last AS (
  SELECT sale_key, sold_at, product_key, customer_key, quantity FROM sales ORDER BY sold_at DESC, sale_key DESC LIMIT 50
)
SELECT l.sale_key, l.sold_at, p.name, c.name AS customers_name, l.quantity
FROM last l JOIN products p ON p.product_key = l.product_key JOIN customers c ON c.customer_key = l.customer_key
ORDER BY l.sale_key DESC
