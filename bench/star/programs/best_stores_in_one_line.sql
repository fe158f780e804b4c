WITH ranked AS (
  SELECT st.region, st.name, ROW_NUMBER() OVER (PARTITION BY st.region ORDER BY SUM(s.quantity) DESC, st.name) AS place
  FROM sales s JOIN stores st ON st.store_key = s.store_key
  GROUP BY st.region, st.name
)
SELECT region, STRING_AGG(name, ', ' ORDER BY place) AS best_stores
FROM ranked WHERE place <= 3
GROUP BY region
