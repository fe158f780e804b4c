SELECT COUNT(*) AS customers FROM (
  SELECT customer_key FROM sales WHERE date_key <= 30
  INTERSECT
  SELECT customer_key FROM sales WHERE date_key > 30 AND date_key <= 60
) AS loyal
