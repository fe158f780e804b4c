SELECT COUNT(*) AS customers FROM (
  SELECT customer_key FROM sales WHERE date_key <= 60
  EXCEPT
  SELECT customer_key FROM sales WHERE date_key > 365 AND date_key <= 730
) AS lost
