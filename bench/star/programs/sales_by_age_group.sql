SELECT CASE WHEN d.year - c.birth_year < 30 THEN 'under 30' WHEN d.year - c.birth_year < 60 THEN '30 to 59'
            ELSE '60 and more' END AS age_group, COUNT(*) AS sales, AVG(s.quantity) AS pieces
FROM sales s
JOIN customers c ON c.customer_key = s.customer_key
JOIN dates d ON d.date_key = s.date_key
GROUP BY 1
