SELECT s.sale_key, p.name, s.quantity
FROM sales s JOIN products p ON p.product_key = s.product_key
WHERE s.sale_key = 77777
