WITH ranked AS (
  SELECT c.country, c.customer_key, SUM(s.quantity * s.unit_price) AS spend,
         ROW_NUMBER() OVER (PARTITION BY c.country ORDER BY SUM(s.quantity * s.unit_price) DESC, c.customer_key) AS place
  FROM sales s JOIN customers c ON c.customer_key = s.customer_key
  GROUP BY c.country, c.customer_key
)
SELECT country, customer_key, spend FROM ranked WHERE place = 1 ORDER BY country
