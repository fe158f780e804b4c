SELECT st.region, st.name, SUM(s.quantity) AS pieces,
       RANK() OVER (PARTITION BY st.region ORDER BY SUM(s.quantity) DESC) AS place
FROM sales s JOIN stores st ON st.store_key = s.store_key
GROUP BY st.region, st.name
ORDER BY st.region, place, st.name
