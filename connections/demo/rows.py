"""The rows of the demo shop: one class a table of schema.sql, its fields the columns in their order."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple


class Region(NamedTuple):
    id: int
    code: str
    name: str
    country_code: str


class Category(NamedTuple):
    id: int
    parent_id: int | None
    name: str


class Product(NamedTuple):
    id: int
    sku: str
    name: str
    category_id: int
    colour: str | None
    price: Decimal
    cost: Decimal | None
    weight_g: int | None
    stock: int
    launched_on: date
    discontinued_on: date | None


class Employee(NamedTuple):
    id: int
    name: str
    email: str
    department: str | None
    job_title: str
    manager_id: int | None
    region_id: int | None
    hired_on: date
    left_on: date | None


class Customer(NamedTuple):
    id: int
    customer_no: str
    name: str
    email: str | None
    phone: str | None
    segment: str | None
    city: str | None
    postal_code: str | None
    region_id: int | None
    birth_date: date | None
    newsletter: bool
    registered_at: datetime


class Order(NamedTuple):
    id: int
    order_no: str
    customer_id: int
    employee_id: int | None
    ordered_at: datetime
    channel: str
    status: str
    payment_code: str
    carrier: str | None
    discount_code: str | None
    shipping_fee: Decimal
    total: Decimal
    shipped_at: datetime | None
    delivered_at: datetime | None


class OrderLine(NamedTuple):
    id: int
    order_id: int
    line_no: int
    product_id: int
    quantity: int
    unit_price: Decimal
    discount_pct: int | None


class Return(NamedTuple):
    id: int
    order_line_id: int
    returned_at: date
    quantity: int
    refund_amount: Decimal | None
    reason_code: str | None
    status: str
    note: str | None


class SupportTicket(NamedTuple):
    id: int
    customer_id: int | None
    order_id: int | None
    employee_id: int | None
    opened_at: datetime
    closed_at: datetime | None
    channel: str
    topic: str | None
    priority: str
    satisfaction: int | None
    subject: str | None


class WebSession(NamedTuple):
    id: int
    customer_id: int | None
    order_id: int | None
    started_at: datetime
    seconds: int | None
    pages: int
    device: str | None
    source: str | None
    landing_page: str
