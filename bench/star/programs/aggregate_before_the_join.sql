WITH by_product AS (SELECT product_key, SUM(quantity) AS pieces FROM sales GROUP BY product_key)
SELECT p.category, SUM(b.pieces) AS pieces, COUNT(*) AS products, MAX(b.pieces) AS most
FROM by_product b JOIN products p ON p.product_key = b.product_key
GROUP BY p.category
ORDER BY p.category
