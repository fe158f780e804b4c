SELECT COUNT(*) AS sales, MIN(sold_at) AS first, MAX(sold_at) AS last, COUNT(DISTINCT store_key) AS stores FROM sales
