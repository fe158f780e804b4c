-- Statements as analysts and benchmarks write them, over `analyst_tables.sql`, one a line; the marks are those of statements.sql.

SELECT l_flag, SUM(l_qty) AS sum_qty, SUM(l_price * (1 - l_disc)) AS sum_disc, AVG(l_qty) AS avg_qty, COUNT(*) AS n FROM lineitem WHERE l_ship <= '1996-09-02' GROUP BY l_flag ORDER BY l_flag
SELECT c_name, c_key, o_key, o_date, SUM(l_qty) FROM customer, orders, lineitem WHERE o_key IN (SELECT l_order FROM lineitem GROUP BY l_order HAVING SUM(l_qty) > 30) AND c_key = o_cust AND o_key = l_order GROUP BY c_name, c_key, o_key, o_date ORDER BY o_date, c_key
SELECT o_prio, COUNT(*) AS order_count FROM orders WHERE o_date >= '1995-01-01' AND EXISTS (SELECT * FROM lineitem WHERE l_order = o_key AND l_commit < l_ship) GROUP BY o_prio ORDER BY o_prio
SELECT n_name, SUM(l_price * (1 - l_disc)) AS revenue FROM customer, orders, lineitem, nation WHERE c_key = o_cust AND l_order = o_key AND c_nation = n_key AND n_region = 'EUROPE' GROUP BY n_name ORDER BY revenue DESC
SELECT c_count, COUNT(*) AS custdist FROM (SELECT c_key, COUNT(o_key) AS c_count FROM customer LEFT OUTER JOIN orders ON c_key = o_cust AND o_prio NOT LIKE '%LOW%' GROUP BY c_key) AS c_orders GROUP BY c_count ORDER BY custdist DESC, c_count DESC
SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_price * (1 - l_disc) ELSE 0 END) / SUM(l_price * (1 - l_disc)) AS promo FROM lineitem, part WHERE l_part = p_key
SELECT p_brand, p_type, p_size, COUNT(DISTINCT s_name) AS cnt FROM supply, part WHERE p_key = s_part AND p_brand <> 'Brand#45' AND s_name NOT IN (SELECT s_name FROM supply WHERE s_avail < 100) GROUP BY p_brand, p_type, p_size ORDER BY cnt DESC, p_brand, p_type, p_size
SELECT SUM(l_price) / 7.0 AS avg_yearly FROM lineitem, part WHERE p_key = l_part AND p_brand = 'Brand#13' AND l_qty < (SELECT 0.9 * AVG(l_qty) FROM lineitem WHERE l_part = p_key)
SELECT SUBSTR(c_phone, 1, 2) AS code, COUNT(*) AS n, SUM(c_bal) AS tot FROM customer WHERE SUBSTR(c_phone, 1, 2) IN ('13', '17', '30') AND c_bal > (SELECT AVG(c_bal) FROM customer WHERE c_bal > 0) AND NOT EXISTS (SELECT * FROM orders WHERE o_cust = c_key) GROUP BY SUBSTR(c_phone, 1, 2) ORDER BY code
SELECT s_name, COUNT(*) AS n FROM supply s1 WHERE s_cost = (SELECT MIN(s2.s_cost) FROM supply s2 WHERE s2.s_part = s1.s_part) GROUP BY s_name ORDER BY n DESC, s_name
SELECT o_prio, SUM(CASE WHEN l_flag = 'R' OR l_flag = 'A' THEN 1 ELSE 0 END) AS high, SUM(CASE WHEN l_flag <> 'R' AND l_flag <> 'A' THEN 1 ELSE 0 END) AS low FROM orders JOIN lineitem ON o_key = l_order WHERE l_ship < l_commit OR l_commit IS NULL GROUP BY o_prio ORDER BY o_prio
WITH revenue AS (SELECT l_part AS part_no, SUM(l_price * (1 - l_disc)) AS total FROM lineitem GROUP BY l_part) SELECT p_key, p_name, total FROM part, revenue WHERE p_key = part_no AND total = (SELECT MAX(total) FROM revenue)
WITH y1 AS (SELECT c_key AS id, SUM(l_price) AS t FROM customer JOIN orders ON o_cust = c_key JOIN lineitem ON l_order = o_key WHERE o_date < '1996-01-01' GROUP BY c_key), y2 AS (SELECT c_key AS id, SUM(l_price) AS t FROM customer JOIN orders ON o_cust = c_key JOIN lineitem ON l_order = o_key WHERE o_date >= '1996-01-01' GROUP BY c_key) SELECT y1.id, y1.t AS before_, y2.t AS after_, y2.t / y1.t AS ratio FROM y1 LEFT JOIN y2 ON y1.id = y2.id ORDER BY y1.id
SELECT * FROM (SELECT o_cust, o_key, RANK() OVER (PARTITION BY o_cust ORDER BY o_date DESC) AS rk FROM orders) t WHERE rk <= 1 ORDER BY o_cust, o_key
SELECT l_part, SUM(l_price) AS item_rev, SUM(l_price) * 100 / SUM(SUM(l_price)) OVER (PARTITION BY MIN(l_flag)) AS share FROM lineitem GROUP BY l_part ORDER BY l_part
SELECT o_date, SUM(n) OVER (ORDER BY o_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS cum, AVG(n) OVER (ORDER BY o_date ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving FROM (SELECT o_date, COUNT(*) AS n FROM orders GROUP BY o_date) d ORDER BY o_date
SELECT c.c_name FROM customer c WHERE c.c_key IN (SELECT o_cust FROM orders WHERE o_date BETWEEN '1995-01-01' AND '1995-12-31') AND c.c_key NOT IN (SELECT o_cust FROM orders WHERE o_date >= '1996-01-01' AND o_cust IS NOT NULL)
SELECT COUNT(*) FROM (SELECT DISTINCT c_nation, o_date FROM customer, orders WHERE o_cust = c_key EXCEPT SELECT DISTINCT c_nation, o_date FROM customer, orders WHERE o_cust = c_key AND o_status = 'F') cool
SELECT AVG(l_qty) AS a, COUNT(l_qty) AS b, COUNT(DISTINCT l_qty) AS c FROM lineitem WHERE l_price BETWEEN 90 AND 300 UNION ALL SELECT AVG(l_qty), COUNT(l_qty), COUNT(DISTINCT l_qty) FROM lineitem WHERE l_price < 90
SELECT T1.c_name FROM customer AS T1 INNER JOIN nation AS T2 ON T1.c_nation = T2.n_key WHERE T2.n_region = 'EUROPE' ORDER BY T1.c_bal DESC LIMIT 1
SELECT CAST(SUM(CASE WHEN T1.c_segment = 'BUILDING' THEN 1 ELSE 0 END) AS DECIMAL(10,4)) * 100 / COUNT(T1.c_key) FROM customer AS T1 INNER JOIN orders AS T2 ON T1.c_key = T2.o_cust
SELECT T.c_name, T.total FROM (SELECT c.c_name, SUM(l.l_price) AS total FROM customer c JOIN orders o ON c.c_key = o.o_cust JOIN lineitem l ON l.l_order = o.o_key GROUP BY c.c_key, c.c_name) AS T WHERE T.total > (SELECT AVG(l_price) * 2 FROM lineitem) ORDER BY T.total DESC
SELECT n_name FROM nation WHERE n_key NOT IN (SELECT c_nation FROM customer WHERE c_nation IS NOT NULL) OR n_region IS NULL
SELECT n_region, COUNT(*) FROM nation GROUP BY n_region HAVING COUNT(*) > 1 OR n_region IS NULL
SELECT DISTINCT p_brand FROM part WHERE p_size > (SELECT AVG(p_size) FROM part) INTERSECT SELECT p_brand FROM part WHERE p_name LIKE '%forest%'
SELECT MAX(cnt) - MIN(cnt) FROM (SELECT COUNT(*) AS cnt FROM orders GROUP BY o_cust) x
SELECT p1.p_name, p2.p_name FROM part p1 JOIN part p2 ON p1.p_brand = p2.p_brand AND p1.p_key < p2.p_key ORDER BY p1.p_key, p2.p_key
SELECT c_segment, COUNT(*) AS n, ROUND(AVG(c_bal), 1) AS mean FROM customer WHERE c_segment IS NOT NULL GROUP BY c_segment ORDER BY COUNT(*) DESC, c_segment LIMIT 2 OFFSET 1
SELECT c_name, CASE WHEN c_bal IS NULL THEN 'unknown' WHEN c_bal < 0 THEN 'debt' WHEN c_bal < 1000 THEN 'small' ELSE 'big' END AS band, COALESCE(c_segment, 'none') AS seg FROM customer ORDER BY band, c_name
SELECT band, COUNT(*) FROM (SELECT CASE WHEN l_qty < 10 THEN 'low' WHEN l_qty < 30 THEN 'mid' ELSE 'high' END AS band FROM lineitem) b GROUP BY band ORDER BY COUNT(*) DESC, band
SELECT e_user, COUNT(*) AS n, MIN(e_at) AS first_at, MAX(e_at) AS last_at, SUM(CASE WHEN e_type = 'buy' THEN 1 ELSE 0 END) AS buys FROM events GROUP BY e_user HAVING SUM(CASE WHEN e_type = 'buy' THEN 1 ELSE 0 END) > 0 ORDER BY e_user
SELECT e_user, e_at, LAG(e_at) OVER (PARTITION BY e_user ORDER BY e_at) AS prev, LEAD(e_type, 1) OVER (PARTITION BY e_user ORDER BY e_at) AS nxt, NTILE(2) OVER (ORDER BY e_id) AS half FROM events
SELECT a.e_user, COUNT(DISTINCT b.e_id) FROM events a JOIN events b ON a.e_user = b.e_user AND b.e_at > a.e_at GROUP BY a.e_user
SELECT o.o_key, (SELECT COUNT(*) FROM lineitem l WHERE l.l_order = o.o_key) AS n_lines, (SELECT MAX(l.l_price) FROM lineitem l WHERE l.l_order = o.o_key AND l.l_disc > 0) AS top FROM orders o ORDER BY n_lines DESC, o.o_key
SELECT p_name FROM part p WHERE 1 < (SELECT COUNT(DISTINCT s_name) FROM supply WHERE s_part = p.p_key)
SELECT c_key FROM customer EXCEPT SELECT o_cust FROM orders UNION SELECT o_cust FROM orders WHERE o_status = 'P'
SELECT COUNT(*) AS a, (SELECT COUNT(*) FROM orders) AS b, (SELECT COUNT(*) FROM lineitem) AS c FROM customer
SELECT x.o_status, x.n, y.total FROM (SELECT o_status, COUNT(*) AS n FROM orders GROUP BY o_status) x CROSS JOIN (SELECT COUNT(*) AS total FROM orders) y ORDER BY x.o_status
SELECT * FROM nation n JOIN customer c ON c.c_nation = n.n_key WHERE (n.n_region, c.c_segment) IN (SELECT n_region, c_segment FROM nation JOIN customer ON c_nation = n_key WHERE c_bal > 500)
SELECT o_status, o_prio, COUNT(*) FROM orders WHERE o_cust IS NOT NULL AND NOT (o_status = 'F' AND o_prio = '5-LOW') GROUP BY o_status, o_prio
SELECT SUM(l_qty) FROM lineitem HAVING SUM(l_qty) > 1000000
SELECT 1 FROM part WHERE 1 = 0 UNION ALL SELECT 2
SELECT LOWER(p_name) || '/' || UPPER(p_brand), LENGTH(p_name) FROM part WHERE p_name LIKE '%green%' OR p_type LIKE '%BRASS' ORDER BY 1
SELECT n_name, t.cnt FROM nation LEFT JOIN (SELECT c_nation, COUNT(*) AS cnt FROM customer GROUP BY c_nation) t ON t.c_nation = n_key WHERE t.cnt IS NULL OR t.cnt > 1
SELECT a.c_name, b.o_key FROM customer a LEFT JOIN (SELECT * FROM orders WHERE o_status = 'F') b ON a.c_key = b.o_cust ORDER BY a.c_name DESC, b.o_key
SELECT CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END FROM orders
SELECT o_cust FROM orders GROUP BY o_cust ORDER BY COUNT(DISTINCT o_status) DESC, MAX(o_date) LIMIT 1

-- but: mysql
SELECT c_name, total, FIRST_VALUE(c_name) OVER (ORDER BY total DESC, c_name) AS best, total - LAG(total, 1, 0) OVER (ORDER BY total, c_name) AS step FROM (SELECT c_name, COALESCE(SUM(l_price), 0) AS total FROM customer LEFT JOIN orders ON o_cust = c_key LEFT JOIN lineitem ON l_order = o_key GROUP BY c_name) t

-- but: sqlite
SELECT c_name FROM customer WHERE c_bal >= ALL (SELECT c_bal FROM customer WHERE c_bal IS NOT NULL)

-- only: sqlite
SELECT strftime('%Y', o_date) AS y, strftime('%m', o_date) AS m, COUNT(*) FROM orders GROUP BY y, m ORDER BY y, m
SELECT c_name, MAX(c_bal) FROM customer
SELECT o_prio, o_key, MAX(o_date) FROM orders GROUP BY o_prio
SELECT IIF(c_bal > 0, 'plus', 'minus'), julianday('1996-01-01') - julianday('1995-01-01') FROM customer
SELECT T1.c_name FROM customer T1 JOIN orders T2 ON T1.c_key = T2.o_cust GROUP BY T1.c_key ORDER BY COUNT(*) DESC LIMIT 1
SELECT substr(c_phone, 1, instr(c_phone, '-') - 1) AS p, group_concat(c_name, ';') FROM customer GROUP BY p
SELECT CAST(COUNT(CASE WHEN o_status = 'F' THEN o_key ELSE NULL END) AS REAL) * 100 / COUNT(o_key) FROM orders WHERE STRFTIME('%Y', o_date) = '1995'
SELECT count(*) FROM customer WHERE c_name LIKE "c#%" AND c_segment == 'AUTO'
SELECT p_name FROM part WHERE p_key IS NOT 3 AND p_type IS NULL
SELECT e_user, SUM(e_value) OVER (PARTITION BY e_user ORDER BY e_at ROWS UNBOUNDED PRECEDING) s, ROW_NUMBER() OVER win AS r FROM events WINDOW win AS (PARTITION BY e_user ORDER BY e_at DESC)

-- only: postgresql duckdb
SELECT DATE_TRUNC('month', e_at) AS m, COUNT(*), COUNT(DISTINCT e_user) FROM events GROUP BY 1 ORDER BY 1
SELECT EXTRACT(YEAR FROM o_date) AS y, SUM(CASE WHEN n_name = 'FRANCE' THEN 1 ELSE 0 END)::FLOAT / COUNT(*) FROM orders JOIN customer ON c_key = o_cust JOIN nation ON n_key = c_nation GROUP BY y ORDER BY y
SELECT DISTINCT ON (o_cust) o_cust, o_key, o_date FROM orders ORDER BY o_cust, o_date DESC, o_key
SELECT e_user, COUNT(*) FILTER (WHERE e_type = 'view') AS views, SUM(e_value) FILTER (WHERE e_type <> 'view') AS rest FROM events GROUP BY e_user ORDER BY e_user NULLS FIRST
SELECT c_name, c_bal, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY c_bal) FROM customer GROUP BY c_name, c_bal
SELECT o_date + INTERVAL '1 month', o_date - DATE '1995-01-01' AS days FROM orders WHERE o_date >= DATE '1996-01-01' ORDER BY o_key
SELECT STRING_AGG(n_name, ', ' ORDER BY n_name) FROM nation WHERE n_region IS NOT NULL
SELECT n_region, c_segment, SUM(c_bal) FROM nation JOIN customer ON c_nation = n_key GROUP BY ROLLUP (n_region, c_segment) ORDER BY n_region NULLS LAST, c_segment NULLS LAST
WITH d AS (SELECT e_user, MIN(CAST(e_at AS DATE)) AS first_day FROM events GROUP BY e_user) SELECT d.first_day, COUNT(DISTINCT e.e_user) AS n, COUNT(DISTINCT CASE WHEN CAST(e.e_at AS DATE) > d.first_day THEN e.e_user END) AS back FROM events e JOIN d USING (e_user) GROUP BY d.first_day ORDER BY 1
SELECT c_name FROM customer WHERE c_name ILIKE 'c#_' AND c_phone ~ '^1[37]' ORDER BY c_name
SELECT x, y FROM (VALUES (1, 'a'), (2, 'b')) AS v(x, y) JOIN part ON p_key = x
SELECT COALESCE(a.o_cust, b.c_key), a.o_key FROM orders a FULL OUTER JOIN customer b ON a.o_cust = b.c_key WHERE a.o_key IS NULL OR b.c_key IS NULL
SELECT o_status, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () AS pct FROM orders GROUP BY o_status ORDER BY pct DESC, o_status

-- only: mysql
SELECT DATE_FORMAT(o_date, '%Y-%m') AS ym, COUNT(*) FROM orders GROUP BY ym ORDER BY ym
SELECT YEAR(o_date), QUARTER(o_date), SUM(IF(o_status = 'F', 1, 0)) FROM orders GROUP BY YEAR(o_date), QUARTER(o_date) ORDER BY 1, 2
SELECT c_name, IFNULL(c_segment, 'x'), CONCAT_WS('-', c_key, c_name) FROM customer WHERE DATEDIFF('1996-01-01', '1995-01-01') > 3 ORDER BY c_name
SELECT GROUP_CONCAT(DISTINCT o_status ORDER BY o_status SEPARATOR '|') FROM orders
SELECT o_cust, COUNT(*) FROM orders WHERE o_date > DATE_SUB('1996-06-01', INTERVAL 1 YEAR) GROUP BY o_cust HAVING COUNT(*) >= 1 ORDER BY NULL
SELECT c_segment, c_name, MAX(c_bal) FROM customer GROUP BY c_segment
SELECT e_user, UNIX_TIMESTAMP(MAX(e_at)) - UNIX_TIMESTAMP(MIN(e_at)) FROM events GROUP BY e_user

-- only: duckdb
SELECT strftime(o_date, '%Y-%m') AS ym, COUNT(*) FROM orders GROUP BY ym ORDER BY ym
SELECT year(o_date) AS y, date_diff('day', MIN(o_date), MAX(o_date)) FROM orders GROUP BY y ORDER BY y
FROM orders SELECT o_status, COUNT(*) GROUP BY o_status ORDER BY o_status
FROM nation WHERE n_key > 2
SELECT SUM(o_key) AS s, s * 2 AS t FROM orders
