WITH by_store AS (
  SELECT st.country, st.store_key, SUM(s.quantity * s.unit_price) AS revenue
  FROM sales s JOIN stores st ON st.store_key = s.store_key
  GROUP BY st.country, st.store_key
)
SELECT country, store_key, revenue / SUM(revenue) OVER (PARTITION BY country) AS share
FROM by_store ORDER BY country, store_key
