WITH before AS (
  SELECT s.store_key, SUM(s.quantity) AS pieces FROM sales s JOIN dates d ON d.date_key = s.date_key
  WHERE d.year = 2021 GROUP BY s.store_key
), after AS (
  SELECT s.store_key, SUM(s.quantity) AS pieces FROM sales s JOIN dates d ON d.date_key = s.date_key
  WHERE d.year = 2022 GROUP BY s.store_key
)
SELECT b.store_key, a.pieces - b.pieces AS growth
FROM before b JOIN after a ON a.store_key = b.store_key
ORDER BY growth DESC, b.store_key
