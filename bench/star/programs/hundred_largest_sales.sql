SELECT sale_key, quantity * unit_price AS revenue, status
FROM sales
ORDER BY revenue DESC, sale_key
LIMIT 100
