SELECT SUM(s.quantity * s.unit_price) AS revenue, AVG(s.quantity * s.unit_price) AS mean
FROM sales s JOIN customers c ON c.customer_key = s.customer_key
WHERE c.email IS NOT NULL AND c.segment = 'school' AND c.birth_year BETWEEN 1960 AND 1969
