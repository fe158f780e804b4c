SELECT store_key AS shop, SUM(quantity) AS all_pieces
FROM sales
WHERE status = 'paid' AND quantity >= 5
GROUP BY store_key
ORDER BY all_pieces DESC, shop
LIMIT 5
