WITH y AS (
  SELECT p.category, p.brand, SUM(s.quantity) AS pieces
  FROM sales s JOIN products p ON p.product_key = s.product_key
  GROUP BY p.category, p.brand
)
SELECT y.category, y.brand, y.pieces
FROM y JOIN (SELECT category, MAX(pieces) AS pieces FROM y GROUP BY category) best
  ON best.category = y.category AND best.pieces = y.pieces
ORDER BY y.category
