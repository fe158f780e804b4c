"""A generated star schema of ten million sales, and programs over it with the SQL an analyst would write instead.

`schema.py` makes the databases, `programs/` holds each program (`.json`) beside its SQL (`.sql`).
"""
