SELECT st.store_key, COUNT(*) AS days
FROM dates d CROSS JOIN stores st
WHERE d.year = 2021 AND d.month = 1
  AND NOT EXISTS (
    SELECT 1 FROM sales s
    WHERE s.date_key = d.date_key AND s.store_key = st.store_key AND s.quantity = 9 AND s.status = 'open'
  )
GROUP BY st.store_key
ORDER BY st.store_key
