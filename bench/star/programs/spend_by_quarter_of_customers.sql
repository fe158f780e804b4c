WITH quarters AS (
  SELECT SUM(quantity * unit_price) AS spend,
         NTILE(4) OVER (ORDER BY SUM(quantity * unit_price) DESC, customer_key) AS quarter
  FROM sales GROUP BY customer_key
)
SELECT quarter, MIN(spend) AS least, MAX(spend) AS most, SUM(spend) AS spend FROM quarters GROUP BY quarter ORDER BY quarter
