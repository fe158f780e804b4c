"""SQL that several of these tests share; it loads unchanged into all four databases."""

NUMBERS = "CREATE TABLE numbers (n INTEGER PRIMARY KEY, label VARCHAR(20)); INSERT INTO numbers VALUES " + ", ".join(
    f"({n}, 'one {n}')" for n in range(1, 1001)
)

# A thousand to the sixth power rows: no database finishes that.
ENDLESS = "SELECT COUNT(*) FROM " + ", ".join(f"numbers AS {t}" for t in "abcdef") + " WHERE a.n + f.n > b.n * c.n"
