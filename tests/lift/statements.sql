-- Statements that lifting must get right, one a line. `-- only: …` and `-- but: …` choose dialects for the lines up to the next blank one.

SELECT name, wage FROM staff WHERE wage > 40 AND region_id IS NOT NULL
SELECT MAX(t.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) + 1, COUNT(t.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) * 2, MIN(u.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) FROM (SELECT DISTINCT wage AS nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn FROM staff) t, (SELECT DISTINCT wage AS nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn FROM staff) u HAVING MAX(t.nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) > 0
SELECT * FROM regions ORDER BY target DESC, id
SELECT s.*, r.name AS region FROM staff s LEFT JOIN regions r ON r.id = s.region_id ORDER BY s.id
SELECT name FROM staff WHERE NOT (wage = 50 OR boss_id = 3)
SELECT DISTINCT wage FROM staff ORDER BY wage LIMIT 3
SELECT id, kind FROM sales ORDER BY CASE kind WHEN 'web' THEN 0 ELSE 1 END, id LIMIT 4 OFFSET 1
SELECT name AS label, wage * 2 AS wage FROM staff WHERE wage < 60 ORDER BY wage, label
SELECT s.name, b.name, c.name FROM staff s JOIN staff b ON b.id = s.boss_id LEFT JOIN staff c ON c.id = b.boss_id
SELECT s.id, r.id FROM staff s, regions r WHERE s.region_id = r.id AND r.target > 100
SELECT s.id, r.id FROM staff s CROSS JOIN regions r WHERE s.wage > r.target
SELECT s.name, x.id FROM staff s LEFT JOIN sales x ON x.staff_id = s.id AND x.kind = 'web' WHERE s.wage IS NOT NULL
SELECT r.name, x.amount FROM sales x RIGHT JOIN staff s ON s.id = x.staff_id RIGHT JOIN regions r ON r.id = s.region_id
SELECT a.id, b.id FROM regions a JOIN regions b ON a.target < b.target OR a.target IS NULL
SELECT s.name FROM staff s LEFT JOIN sales x ON x.staff_id = s.id WHERE x.staff_id IS NOT NULL
SELECT COUNT(*) FROM marks m LEFT JOIN blank b ON b.id = m.staff_id WHERE b.id IS NOT NULL
SELECT s.name FROM staff s LEFT JOIN sales x ON x.staff_id = s.id WHERE NOT (x.staff_id IS NULL)
SELECT s.name FROM staff s LEFT JOIN sales x ON x.staff_id = s.id WHERE NOT x.staff_id IS NOT NULL
SELECT name FROM staff WHERE NOT (wage IS NOT NULL) OR NOT region_id IS NOT NULL
SELECT id FROM sales WHERE amount NOT IN (SELECT wage FROM staff WHERE NOT (wage IS NOT NULL) OR wage > 40)
SELECT id, (amount IS NOT NULL) = (staff_id IS NOT NULL) AS same FROM sales
SELECT m.level, COUNT(*) FROM marks m LEFT JOIN staff s ON s.id + 1 = m.staff_id GROUP BY m.level
SELECT kind, COUNT(*), COUNT(amount), SUM(amount), AVG(amount), MIN(day), MAX(amount) FROM sales GROUP BY kind
SELECT COUNT(*), SUM(id), MAX(id) FROM blank
SELECT note, COUNT(*) FROM blank GROUP BY note
SELECT kind FROM sales GROUP BY kind HAVING SUM(amount) > 100 ORDER BY kind
SELECT COUNT(*) AS n FROM sales HAVING COUNT(*) > 100
SELECT region_id, wage FROM staff GROUP BY region_id, wage HAVING wage > 30
SELECT SUM(CASE WHEN kind = 'web' THEN amount ELSE 0 END) AS web, COUNT(DISTINCT staff_id) AS people FROM sales
SELECT amount / 2 AS half, COUNT(*) FROM sales WHERE amount IS NOT NULL GROUP BY amount / 2
SELECT kind, SUM(amount) - MIN(amount) + COUNT(*) AS odd FROM sales GROUP BY kind ORDER BY odd
SELECT MAX(n) FROM (SELECT staff_id, COUNT(*) AS n FROM sales GROUP BY staff_id) AS t
SELECT name FROM staff WHERE id IN (SELECT staff_id FROM sales)
SELECT name FROM staff WHERE id NOT IN (SELECT staff_id FROM sales)
SELECT name FROM staff WHERE id NOT IN (SELECT staff_id FROM sales WHERE staff_id IS NOT NULL)
SELECT id FROM sales WHERE staff_id NOT IN (SELECT id FROM staff WHERE wage > 60)
SELECT id FROM sales WHERE staff_id NOT IN (SELECT id FROM blank)
SELECT id FROM staff WHERE wage = 30 OR id IN (SELECT staff_id FROM marks)
SELECT id, CASE WHEN id IN (SELECT staff_id FROM marks) THEN 'yes' WHEN id NOT IN (SELECT staff_id FROM marks) THEN 'no' ELSE '?' END AS marked FROM staff
SELECT id FROM staff WHERE (region_id, wage) IN (SELECT region_id, MAX(wage) FROM staff GROUP BY region_id)
SELECT name FROM staff s WHERE EXISTS (SELECT 1 FROM sales x WHERE x.staff_id = s.id AND x.amount > 50)
SELECT name FROM staff s WHERE NOT EXISTS (SELECT * FROM regions r WHERE r.id = s.region_id)
SELECT name FROM staff s WHERE NOT EXISTS (SELECT 1 FROM staff x WHERE x.wage > s.wage)
SELECT id FROM sales o WHERE NOT EXISTS (SELECT 1 FROM sales x WHERE x.staff_id = o.staff_id AND x.day > o.day)
SELECT id FROM regions WHERE EXISTS (SELECT 1 FROM blank)
SELECT id FROM regions WHERE NOT EXISTS (SELECT 1 FROM blank) AND EXISTS (SELECT 1 FROM sales)
SELECT id FROM regions r WHERE EXISTS (SELECT MAX(s.id) FROM staff s WHERE s.region_id = r.id)
SELECT id, (SELECT COUNT(*) FROM sales x WHERE x.staff_id = s.id) AS n, (SELECT SUM(x.amount) FROM sales x WHERE x.staff_id = s.id) AS total FROM staff s
SELECT id FROM staff s WHERE (SELECT COUNT(*) FROM sales x WHERE x.staff_id = s.id AND x.kind = 'shop') = 0
SELECT id, (SELECT COUNT(*) FROM staff x WHERE x.wage > s.wage) + 1 AS place FROM staff s
SELECT id, (SELECT r.name FROM regions r WHERE r.id = s.region_id) AS region FROM staff s
SELECT id, (SELECT x.id FROM sales x WHERE x.staff_id = s.id ORDER BY x.day DESC, x.id DESC LIMIT 1) AS latest FROM staff s
SELECT id, (SELECT note FROM blank) AS note FROM regions
SELECT id, COALESCE((SELECT MAX(amount) FROM sales x WHERE x.staff_id = s.id), -1) AS best FROM staff s
SELECT name FROM staff WHERE wage = (SELECT MAX(wage) FROM staff) OR wage < (SELECT AVG(wage) FROM staff)
SELECT staff_id, id FROM sales o WHERE amount = (SELECT MAX(x.amount) FROM sales x WHERE x.staff_id = o.staff_id)
SELECT (SELECT COUNT(*) FROM staff) - COUNT(*) AS rest FROM marks
SELECT r.id FROM regions r WHERE EXISTS (SELECT 1 FROM staff s WHERE s.region_id = r.id AND NOT EXISTS (SELECT 1 FROM sales x WHERE x.staff_id = s.id AND x.kind = r.name))
SELECT s.id, (SELECT COUNT(*) FROM sales x WHERE x.staff_id = s.id AND x.amount IN (SELECT y.amount FROM sales y WHERE y.id <> x.id)) AS shared FROM staff s
SELECT id FROM staff WHERE wage BETWEEN (SELECT MIN(target) FROM regions) AND (SELECT MAX(target) FROM regions)
SELECT kind, COUNT(*) FROM sales GROUP BY kind HAVING COUNT(*) > (SELECT COUNT(*) FROM marks WHERE level = 'iron')
SELECT name FROM staff UNION SELECT name FROM regions ORDER BY name
SELECT staff_id FROM sales INTERSECT SELECT staff_id FROM marks
SELECT staff_id FROM sales EXCEPT SELECT staff_id FROM marks
SELECT COUNT(*) FROM (SELECT kind FROM sales WHERE amount > 50 EXCEPT SELECT kind FROM sales WHERE amount > 100) AS t
SELECT kind FROM (SELECT kind, amount FROM sales UNION SELECT kind, id FROM sales) AS t
SELECT wage FROM staff UNION ALL SELECT amount FROM sales WHERE amount > 50
SELECT id FROM staff WHERE id IN (SELECT staff_id FROM sales UNION SELECT staff_id FROM marks)
WITH big AS (SELECT * FROM sales WHERE amount >= 80) SELECT s.name, COUNT(*) AS n FROM staff s JOIN big b ON b.staff_id = s.id GROUP BY s.name
WITH n AS (SELECT staff_id, COUNT(*) AS c FROM sales GROUP BY staff_id) SELECT a.staff_id, b.staff_id AS other FROM n a JOIN n b ON a.c = b.c AND a.staff_id < b.staff_id
WITH a AS (SELECT id FROM staff), b AS (SELECT id FROM a WHERE id > 2) SELECT COUNT(*) FROM b, a WHERE a.id = b.id
SELECT id, RANK() OVER (ORDER BY wage DESC) AS r, ROW_NUMBER() OVER (PARTITION BY region_id ORDER BY wage, id) AS n FROM staff WHERE wage IS NOT NULL
SELECT id, SUM(amount) OVER (ORDER BY day) AS running, COUNT(*) OVER () AS n FROM sales
SELECT kind, SUM(amount) AS s, RANK() OVER (ORDER BY SUM(amount) DESC) AS r FROM sales GROUP BY kind HAVING SUM(amount) IS NOT NULL
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY staff_id ORDER BY day DESC, id) AS n FROM sales) AS t WHERE n = 1
SELECT id, MIN(wage) OVER w AS lo, MAX(wage) OVER w AS hi FROM staff WINDOW w AS (PARTITION BY region_id)
SELECT id, LAG(amount, 2) OVER (ORDER BY id) AS prior, LAST_VALUE(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS z FROM sales
SELECT 1 + 1 AS two, 'it''s; --' AS word
SELECT 3 AS x WHERE 1 = 0
SELECT t.x FROM (SELECT 1 AS x UNION ALL SELECT 2) AS t WHERE t.x > 1
SELECT SUM(wage) FROM (SELECT wage FROM staff WHERE wage IS NOT NULL ORDER BY wage DESC, id LIMIT 2) AS t
SELECT COUNT(*) FROM staff s JOIN (SELECT DISTINCT staff_id FROM sales) x ON x.staff_id = s.id
SELECT s.name FROM staff s JOIN marks m ON m.staff_id = s.id ORDER BY m.level, s.name
SELECT SUM(CASE WHEN t2.id > 3 THEN 1 ELSE 0 END) AS c0 FROM staff AS t1 LEFT JOIN regions AS t2 ON t2.id = t1.id JOIN marks AS t3 ON t3.staff_id = t2.id WHERE NOT (t3.staff_id IN (SELECT t4.region_id FROM staff AS t4 WHERE t4.boss_id = t2.target AND t4.boss_id NOT IN (SELECT t5.wage FROM staff AS t5 WHERE t4.region_id IN (1, 3, 5)))) GROUP BY t3.staff_id
SELECT id FROM sales WHERE (staff_id, amount) NOT IN (SELECT id, wage FROM staff)
SELECT id FROM sales WHERE (staff_id, amount) NOT IN (SELECT id, wage FROM staff WHERE id > 99)
SELECT id FROM sales WHERE (staff_id, amount) NOT IN (SELECT id, 80 FROM staff WHERE id < 3)
SELECT s.id, x.id FROM staff s LEFT JOIN sales x ON x.staff_id = s.id AND x.day = (SELECT MAX(day) FROM sales WHERE staff_id = s.id)
SELECT s.id, x.id FROM staff s LEFT JOIN sales x ON x.staff_id = s.id AND EXISTS (SELECT 1 FROM marks m WHERE m.staff_id = s.id)
SELECT s.id, x.id FROM staff s LEFT JOIN sales x ON x.amount > s.wage + (SELECT MIN(wage) FROM staff)
SELECT DISTINCT r.id FROM regions r JOIN (SELECT m.top, COUNT(*) AS n FROM staff s LEFT JOIN (SELECT MAX(wage) AS top FROM staff) m ON m.top = s.wage GROUP BY m.top) g ON g.n >= r.id
SELECT id FROM regions WHERE id NOT IN (SELECT staff_id FROM sales WHERE 4 IN (id, staff_id))
SELECT id, SUM(amount) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS whole FROM sales

-- but: mysql
SELECT s.id, r.id FROM staff s FULL JOIN regions r ON r.id = s.region_id
SELECT s.id, r.id FROM staff s FULL JOIN regions r ON r.id = s.region_id AND s.wage > 40
SELECT staff_id, kind, level FROM sales FULL JOIN marks USING (staff_id)
SELECT id FROM sales ORDER BY amount DESC NULLS LAST, id LIMIT 5
SELECT staff_id, COUNT(*) FILTER (WHERE kind = 'web') AS web FROM sales GROUP BY staff_id
SELECT x.id FROM sales x JOIN marks m ON x.staff_id IS NOT DISTINCT FROM m.staff_id
SELECT id, name || '!' AS loud FROM staff
SELECT id, LAG(amount, 1, 0) OVER (PARTITION BY kind ORDER BY id) AS prior FROM sales

-- but: postgresql duckdb
SELECT s.name, MAX(x.amount) AS top FROM staff s JOIN sales x ON x.staff_id = s.id GROUP BY s.id

-- only: sqlite
SELECT kind, id, MAX(amount) FROM sales WHERE amount IS NOT NULL GROUP BY kind
SELECT name, MIN(wage) FROM staff
SELECT note, MAX(id) FROM blank
SELECT id FROM sales WHERE kind = "web" ORDER BY rowid
SELECT SUM(DISTINCT amount), total(amount), group_concat(kind, '/') FROM sales WHERE kind = 'web'
SELECT s.name FROM staff s JOIN regions r ON r.id = x.staff_id JOIN sales x ON x.staff_id = s.id
SELECT name FROM staff WHERE id IS (SELECT staff_id FROM marks WHERE level = 'none')

-- but: sqlite
SELECT id FROM staff WHERE wage = ALL (SELECT amount FROM sales WHERE id = 3)
SELECT id FROM staff WHERE wage = ALL (SELECT amount FROM sales WHERE id > 99)
SELECT id FROM staff WHERE NOT (wage = ALL (SELECT amount FROM sales WHERE id > 3))
SELECT id FROM staff WHERE wage <> ANY (SELECT target FROM regions)
SELECT id FROM staff WHERE NOT (wage <> ANY (SELECT amount FROM sales WHERE id IN (2, 3)))
SELECT id FROM staff WHERE wage >= ALL (SELECT wage FROM staff WHERE wage IS NOT NULL)
SELECT id FROM staff WHERE wage > ALL (SELECT amount FROM sales)
SELECT id FROM staff WHERE wage > ANY (SELECT amount FROM sales)
SELECT id FROM staff WHERE NOT (wage <= ANY (SELECT target FROM regions))
SELECT id FROM staff WHERE region_id = ANY (SELECT id FROM regions WHERE target > 0)

-- only: postgresql duckdb
SELECT DISTINCT ON (staff_id) staff_id, id FROM sales ORDER BY staff_id, day DESC, id
SELECT v.a, v.b FROM (VALUES (1, 'x'), (2, 'y')) AS v (a, b) ORDER BY v.a DESC
SELECT string_agg(name, ', ' ORDER BY name DESC) FROM staff
SELECT string_agg(DISTINCT kind, ',' ORDER BY kind DESC) FROM sales
SELECT bool_or(wage > 60), bool_and(wage > 20) FROM staff
SELECT r.id, s.id FROM regions r LEFT JOIN (SELECT id, region_id FROM staff) s ON s.region_id = r.id

-- only: postgresql duckdb
SELECT wage FROM staff EXCEPT ALL SELECT amount FROM sales ORDER BY 1
SELECT amount FROM sales INTERSECT ALL SELECT amount FROM sales WHERE kind = 'web'
SELECT kind, id FROM (SELECT kind, 1 AS id FROM sales EXCEPT ALL SELECT kind, 1 FROM sales WHERE id > 3) AS t

-- only: postgresql duckdb
SELECT kind, staff_id, COUNT(*), SUM(amount) FROM sales GROUP BY ROLLUP (kind, staff_id)
SELECT kind, staff_id, COUNT(*) FROM sales GROUP BY CUBE (kind, staff_id) ORDER BY 3 DESC, 1, 2 LIMIT 5
SELECT kind, day, MAX(amount) FROM sales GROUP BY GROUPING SETS ((kind), (day), ())
SELECT kind, staff_id, COUNT(*) FROM sales GROUP BY kind, ROLLUP (staff_id) HAVING COUNT(*) > 1
SELECT COALESCE(note, 'all') FROM blank GROUP BY ROLLUP (note)
SELECT COUNT(*) FROM (SELECT kind, SUM(amount) AS s FROM sales GROUP BY ROLLUP (kind)) AS t WHERE s > 100
SELECT s.name, l.n, l.top FROM staff s CROSS JOIN LATERAL (SELECT COUNT(*) AS n, MAX(amount) AS top FROM sales x WHERE x.staff_id = s.id) l
SELECT s.name, l.id FROM staff s LEFT JOIN LATERAL (SELECT x.id FROM sales x WHERE x.staff_id = s.id ORDER BY x.day DESC, x.id LIMIT 1) l ON TRUE
SELECT s.name, l.n FROM staff s, LATERAL (SELECT COUNT(*) AS n FROM sales x WHERE x.amount > s.wage) l
SELECT id, SUM(amount) OVER (ORDER BY day RANGE BETWEEN INTERVAL '30 days' PRECEDING AND CURRENT ROW) AS s FROM sales

-- only: postgresql
SELECT id FROM sales ORDER BY day DESC, id FETCH FIRST 3 ROWS ONLY

-- only: postgresql duckdb
SELECT COUNT(DISTINCT (staff_id, kind)), COUNT(*) FROM sales
SELECT day, COUNT(DISTINCT (staff_id, kind)) AS n, COUNT(DISTINCT kind) FROM sales GROUP BY day HAVING COUNT(DISTINCT (staff_id, kind)) > 1
SELECT kind, COUNT(DISTINCT (staff_id, day)) FILTER (WHERE amount > 20) FROM sales GROUP BY kind
SELECT r.name, (SELECT COUNT(DISTINCT (s.wage, s.boss_id)) FROM staff s WHERE s.region_id = r.id) AS n FROM regions r

-- only: mysql
SELECT COUNT(DISTINCT staff_id, kind), COUNT(*), SUM(amount) FROM sales
SELECT kind, COUNT(DISTINCT staff_id, day) AS n FROM sales GROUP BY kind ORDER BY n DESC, kind
SELECT COUNT(DISTINCT staff_id, kind) FROM blank, sales
SELECT r.name, (SELECT COUNT(DISTINCT s.wage, s.boss_id) FROM staff s WHERE s.region_id = r.id) AS n FROM regions r
SELECT kind, staff_id, COUNT(*) FROM sales GROUP BY kind, staff_id WITH ROLLUP
SELECT name FROM staff WHERE name REGEXP '^[A-C]' OR NOT name RLIKE 'a'
SELECT id, TIMESTAMPDIFF(DAY, day, '2024-03-01') AS days FROM sales
SELECT SQL_NO_CACHE id FROM staff

-- only: duckdb
SELECT * REPLACE (wage * 2 AS wage) FROM staff
SELECT s.* REPLACE (upper(s.name) AS name), r.* EXCLUDE (target) FROM staff s JOIN regions r ON r.id = s.region_id
SELECT * EXCLUDE (boss_id) REPLACE (COALESCE(wage, 0) AS wage) RENAME (name AS who) FROM staff WHERE wage > 40 ORDER BY wage, who
SELECT * RENAME (name AS who, id AS number) FROM staff ORDER BY number DESC
SELECT * EXCLUDE (boss_id) FROM staff ORDER BY ALL
SELECT kind, COUNT(*) FROM sales GROUP BY ALL ORDER BY ALL DESC
SELECT COUNT_IF(wage > 40), COUNT(*) FROM staff
SELECT * FROM staff SEMI JOIN sales ON sales.staff_id = staff.id AND sales.amount > 50 ORDER BY id
SELECT name FROM staff ANTI JOIN marks ON marks.staff_id = staff.id
SELECT id, wage + 1 AS more, more * 2 AS double FROM staff WHERE more > 31
SELECT id FROM staff QUALIFY ROW_NUMBER() OVER (PARTITION BY region_id ORDER BY wage) = 1 AND id > 1
SELECT kind, SUM(amount) FROM sales GROUP BY ALL
