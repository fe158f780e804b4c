"""What the people of the demo shop know about its tables. PostgreSQL keeps it as comments; SQLite has none."""

from __future__ import annotations

from collections.abc import Mapping

NOTES: Mapping[str, str] = {
    "regions": "Sales regions. DE-WEB collects German web customers without a known state.",
    "regions.country_code": "ISO 3166 code, DE for Germany; the web shop region was entered in lower case",
    "categories": "Two levels: parent_id is NULL for the ten main categories; products hang on the leaves.",
    "products.cost": "Purchase price in euro; NULL where the supplier's list is missing",
    "products.price": "Today's list price in euro with VAT; what was paid is in order_lines.unit_price",
    "products.colour": "As the supplier wrote it: BLK, Black and black are one colour",
    "employees.department": "Typed by hand, any letter case",
    "customers.segment": "B2C or B2B, in any letter case; NULL for imported customers",
    "customers.email": "Not unique: some people registered twice",
    "orders.status": "open, paid, shipped, delivered, cancelled",
    "orders.channel": "web, app, phone, store; phone and store orders name the employee",
    "orders.payment_code": "CC card, PP PayPal, INV invoice, DD direct debit",
    "orders.carrier": "Typed by the warehouse, any letter case; NULL before shipping and for store orders",
    "orders.total": "Euro with VAT and shipping, after discounts; returns are not taken off",
    "order_lines.unit_price": "Euro with VAT for one piece, before discount_pct",
    "order_lines.discount_pct": "Percent off the line; NULL means none",
    "returns": "One row a returned order line. Money went back only where status is refunded.",
    "returns.returned_at": "Day the return was booked, not the day it arrived",
    "returns.refund_amount": "Euro with VAT. 0.00 for exchanges and refusals, NULL while open",
    "returns.reason_code": "SZ size, DM damaged, NF not as expected, LT late, CM changed mind; NULL when not asked",
    "support_tickets.priority": "P1 (urgent) to P4",
    "support_tickets.satisfaction": "1 (bad) to 5 (good); NULL when the customer did not answer",
    "web_sessions.customer_id": "NULL when nobody was logged in",
    "web_sessions.order_id": "The order placed in this session, if any",
    "web_sessions.seconds": "NULL when the page was closed at once",
    "web_sessions.source": "Where the visit came from; NULL when unknown",
}

QUESTIONS = (
    "How many orders were cancelled?",
    "Which five products were sold most often?",
    "What are total sales by channel?",
    "How many customers live in each region?",
    "Which category has the most returns?",
    "What is the average satisfaction of support tickets by topic?",
)
