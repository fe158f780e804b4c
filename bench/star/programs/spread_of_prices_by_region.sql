SELECT st.region, STDDEV_SAMP(s.unit_price) AS spread, AVG(s.unit_price) AS mean
FROM sales s JOIN stores st ON st.store_key = s.store_key
GROUP BY st.region
