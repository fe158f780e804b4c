WITH totals AS (
  SELECT p.brand, d.year, SUM(s.quantity) AS pieces
  FROM sales s JOIN dates d ON d.date_key = s.date_key JOIN products p ON p.product_key = s.product_key
  GROUP BY p.brand, d.year
)
SELECT o.brand, o.pieces, n.pieces AS news_pieces, n.pieces - o.pieces AS growth
FROM totals o JOIN totals n ON n.brand = o.brand
WHERE o.year = 2021 AND n.year = 2022
ORDER BY growth DESC, o.brand
LIMIT 20
