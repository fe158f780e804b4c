-- Where the databases read SQL in a way that is easily missed, over the tables of shop.py; the marks are those of statements.sql.

SELECT kind, COUNT(*) AS n, COUNT(*) OVER () AS kinds FROM sales GROUP BY kind
SELECT kind, SUM(amount) AS s, COUNT(*) OVER (ORDER BY kind) AS place, COUNT(*) AS n FROM sales GROUP BY kind ORDER BY n DESC, kind LIMIT 2
SELECT id, SUM(wage) OVER second AS s FROM staff WINDOW first AS (PARTITION BY region_id), second AS (first ORDER BY id)
SELECT id FROM regions r WHERE r.target IN (SELECT COUNT(*) FROM staff s WHERE s.region_id = r.id)
SELECT id, r.target NOT IN (SELECT COUNT(*) FROM staff s WHERE s.region_id = r.id) AS other FROM regions r
SELECT id, r.target IN (SELECT MAX(wage) FROM staff s WHERE s.region_id = r.id) AS top FROM regions r
SELECT id FROM regions r WHERE EXISTS (SELECT COUNT(*) FROM staff s WHERE s.region_id = r.id HAVING COUNT(*) = 0)
SELECT id, (SELECT COUNT(*) FROM staff s WHERE s.region_id = r.id UNION ALL SELECT 7 FROM blank) AS n FROM regions r
SELECT u.m, w.m FROM (WITH q AS (SELECT id AS n FROM regions) SELECT (SELECT MAX(n) FROM q) AS m FROM q) u, (WITH q AS (SELECT wage AS n FROM staff) SELECT (SELECT MAX(n) FROM q) AS m FROM q) w

-- but: sqlite
SELECT id, EXISTS (SELECT 1 FROM staff s WHERE s.region_id = r.id AND s.wage > r.target HAVING COUNT(*) < 2) AS few FROM regions r
SELECT b.id, (SELECT 'none' FROM staff s WHERE s.region_id = b.region_id HAVING COUNT(*) = 0) AS nobody FROM staff b
SELECT id FROM regions r WHERE r.target >= ALL (SELECT COUNT(*) FROM staff s WHERE s.region_id = r.id)

-- but: duckdb
SELECT r.id, m.level FROM regions r NATURAL LEFT JOIN marks m WHERE m.staff_id = r.id

-- only: sqlite
SELECT r.id, s.id FROM regions r LEFT JOIN staff s WHERE r.id = s.region_id
SELECT r.id, s.id FROM staff s RIGHT JOIN regions r WHERE r.id = s.region_id
SELECT id FROM regions r WHERE r.target = (SELECT TOTAL(s.wage) FROM staff s WHERE s.region_id = r.id)
SELECT s.name FROM staff s UNION SELECT r.name FROM regions r ORDER BY s.name DESC
SELECT name FROM staff UNION SELECT LOWER(name) FROM regions ORDER BY name COLLATE NOCASE DESC
SELECT wage + 1 FROM staff UNION SELECT target FROM regions ORDER BY wage + 1 DESC
SELECT COUNT(*) FROM sales GROUP BY 1.0
SELECT kind, SUM(amount) AS amount FROM sales GROUP BY kind HAVING amount > 90

-- only: postgresql duckdb
SELECT r.id, x.wage FROM regions r JOIN LATERAL (SELECT s.wage FROM staff s WHERE s.region_id = r.id ORDER BY s.wage DESC LIMIT 1) x ON x.wage > 40
SELECT r.id, x.n FROM regions r JOIN LATERAL (SELECT COUNT(*) AS n FROM staff s WHERE s.region_id = r.id) x ON x.n > 1 WHERE r.id < 3
SELECT r.id, x.n, x.one FROM regions r CROSS JOIN LATERAL (SELECT COUNT(*) AS n, 1 AS one FROM staff s WHERE s.region_id = r.id) x
SELECT r.id, x.n FROM regions r CROSS JOIN LATERAL (SELECT COUNT(*) AS n FROM staff s WHERE s.region_id = r.id HAVING COUNT(*) < 2) x
SELECT kind, staff_id, day, COUNT(*) FROM sales GROUP BY GROUPING SETS ((kind), (staff_id), (day))
SELECT kind, staff_id, day, COUNT(*) FROM sales GROUP BY GROUPING SETS ((kind), (staff_id), (day), ()) ORDER BY 4 DESC, 1, 2, 3
SELECT kind, staff_id, COUNT(*) FROM sales GROUP BY (kind, staff_id)

-- only: postgresql
SELECT DISTINCT ON (1) staff_id, id FROM sales ORDER BY 1, id
SELECT DISTINCT ON (who) staff_id AS who, id FROM sales ORDER BY who, id DESC
SELECT DISTINCT ON (date_trunc('month', day)) kind, date_trunc('month', day) AS m, COUNT(*) FROM sales GROUP BY date_trunc('month', day), kind ORDER BY date_trunc('month', day), COUNT(*) DESC, kind
SELECT r.id, x.wage FROM regions r LEFT JOIN LATERAL (SELECT s.wage FROM staff s WHERE s.region_id = r.id ORDER BY s.id LIMIT 1) x ON 1 = 1
SELECT id FROM regions WHERE (SELECT MAX(id) FROM marks JOIN regions ON id = staff_id) = ANY (ARRAY[1, 3])
WITH a AS (SELECT id FROM staff WHERE wage = (SELECT MAX(wage) FROM staff)), staff AS (SELECT * FROM staff WHERE wage < 40), c AS (SELECT id FROM staff WHERE wage = (SELECT MAX(wage) FROM staff)) SELECT * FROM a UNION ALL SELECT * FROM c
WITH t (K, "V") AS (SELECT kind, id FROM sales) SELECT k, "V" FROM T WHERE T.K = 'web'

-- only: postgresql mysql
SELECT s.id, (SELECT MAX(x.amount) AS wage FROM sales x WHERE x.amount > wage) AS above FROM staff s

-- only: mysql duckdb
SELECT kind, SUM(amount) AS amount FROM sales GROUP BY kind HAVING amount > 200
SELECT staff_id, MAX(id) AS amount FROM sales GROUP BY staff_id HAVING SUM(amount) > 80 AND amount < 3

-- only: mysql
SELECT kind, MAX(amount) AS day FROM sales GROUP BY day, kind HAVING day < '2024-02-10'
SELECT * FROM staff LEFT JOIN regions USING (name, id)
SELECT * FROM staff s RIGHT JOIN regions r USING (name, id)
SELECT * FROM staff NATURAL RIGHT JOIN regions

-- only: duckdb
SELECT id FROM regions r WHERE r.target = (SELECT COUNT_IF(s.wage > 0) FROM staff s WHERE s.region_id = r.id)
SELECT id, (SELECT COUNT_IF(s.wage > 50) FROM staff s WHERE s.region_id = r.id) AS n FROM regions r
SELECT kind, COUNT_IF(amount > 50) AS big, COUNT_IF(amount > 50) FILTER (WHERE id < 3) FROM sales GROUP BY kind
SELECT col1, col0 FROM (VALUES (1, 'x'), (2, 'y')) AS v
