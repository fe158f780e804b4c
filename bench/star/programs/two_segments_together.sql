WITH both_segments AS (
  SELECT c.country, s.quantity FROM sales s JOIN customers c ON c.customer_key = s.customer_key
  WHERE c.segment = 'business' AND s.quantity > 7
  UNION ALL
  SELECT c.country, s.quantity FROM sales s JOIN customers c ON c.customer_key = s.customer_key
  WHERE c.segment = 'school' AND s.quantity < 3
)
SELECT country, SUM(quantity) AS pieces, COUNT(*) AS sales FROM both_segments GROUP BY country
