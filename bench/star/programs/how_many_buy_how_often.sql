SELECT sales, COUNT(*) AS customers
FROM (SELECT customer_key, COUNT(*) AS sales FROM sales GROUP BY customer_key) AS by_customer
GROUP BY sales
ORDER BY sales
