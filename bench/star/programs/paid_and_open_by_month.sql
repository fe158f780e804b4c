SELECT DATE_TRUNC('month', sold_at) AS month, COUNT(*) FILTER (WHERE status = 'paid') AS paid,
       COUNT(*) FILTER (WHERE status = 'open') AS open, COUNT(*) AS all_sales,
       1.0 * COUNT(*) FILTER (WHERE status = 'paid') / COUNT(*) AS share
FROM sales
GROUP BY DATE_TRUNC('month', sold_at)
ORDER BY month
