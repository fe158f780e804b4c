WITH monthly AS (
  SELECT d.year, d.month, COUNT(*) AS sales
  FROM sales s JOIN dates d ON d.date_key = s.date_key
  GROUP BY d.year, d.month
)
SELECT year, month, sales, LAG(sales) OVER (ORDER BY year, month) AS earlier,
       sales - LAG(sales) OVER (ORDER BY year, month) AS change
FROM monthly ORDER BY year, month
