WITH by_brand AS (
  SELECT p.category, p.brand, SUM(s.quantity * s.unit_price) AS revenue,
         ROW_NUMBER() OVER (PARTITION BY p.category ORDER BY SUM(s.quantity * s.unit_price) DESC, p.brand) AS place
  FROM sales s JOIN products p ON p.product_key = s.product_key
  GROUP BY p.category, p.brand
)
SELECT category, brand, revenue, place FROM by_brand WHERE place <= 3 ORDER BY category, place
