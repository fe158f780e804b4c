SELECT COALESCE(pr.kind, 'none') AS promotion, COUNT(*) AS sales, AVG(s.quantity) AS pieces
FROM sales s LEFT JOIN promotions pr ON pr.promotion_key = s.promotion_key
GROUP BY COALESCE(pr.kind, 'none')
