SELECT CASE WHEN unit_price < 20 THEN 'low' WHEN unit_price < 100 THEN 'middle' ELSE 'high' END AS band,
       status, COUNT(*) AS sales, SUM(quantity) AS pieces
FROM sales
GROUP BY 1, 2
