SELECT st.name AS stores_name, p.name, d.unit_price
FROM (
  SELECT store_key, product_key, unit_price,
         ROW_NUMBER() OVER (PARTITION BY store_key ORDER BY unit_price DESC, sale_key) AS place
  FROM sales
) AS d
JOIN products p ON p.product_key = d.product_key
JOIN stores st ON st.store_key = d.store_key
WHERE d.place = 1
ORDER BY st.name
