WITH totals AS (
  SELECT st.region, d.quarter, SUM(s.quantity) AS pieces, MAX(SUM(s.quantity)) OVER (PARTITION BY st.region) AS best
  FROM sales s JOIN dates d ON d.date_key = s.date_key JOIN stores st ON st.store_key = s.store_key
  GROUP BY st.region, d.quarter
)
SELECT region, quarter, 1.0 * pieces / best AS of_best
FROM totals WHERE 1.0 * pieces / best < 0.999
ORDER BY region, quarter
