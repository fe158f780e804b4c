-- The demo shop. The same statements create it in SQLite and in PostgreSQL.

CREATE TABLE regions (
    id INTEGER PRIMARY KEY,
    code VARCHAR(8) NOT NULL UNIQUE,
    name VARCHAR(60) NOT NULL,
    country_code VARCHAR(2) NOT NULL
);

CREATE TABLE categories (
    id INTEGER PRIMARY KEY,
    parent_id INTEGER REFERENCES categories (id),
    name VARCHAR(60) NOT NULL
);

CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    sku VARCHAR(16) NOT NULL UNIQUE,
    name VARCHAR(120) NOT NULL,
    category_id INTEGER NOT NULL REFERENCES categories (id),
    colour VARCHAR(20),
    price NUMERIC(10, 2) NOT NULL,
    cost NUMERIC(10, 2),
    weight_g INTEGER,
    stock INTEGER NOT NULL,
    launched_on DATE NOT NULL,
    discontinued_on DATE
);

CREATE TABLE employees (
    id INTEGER PRIMARY KEY,
    name VARCHAR(80) NOT NULL,
    email VARCHAR(120) NOT NULL,
    department VARCHAR(30),
    job_title VARCHAR(60) NOT NULL,
    manager_id INTEGER REFERENCES employees (id),
    region_id INTEGER REFERENCES regions (id),
    hired_on DATE NOT NULL,
    left_on DATE
);

CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    customer_no VARCHAR(12) NOT NULL UNIQUE,
    name VARCHAR(120) NOT NULL,
    email VARCHAR(120),
    phone VARCHAR(30),
    segment VARCHAR(10),
    city VARCHAR(60),
    postal_code VARCHAR(10),
    region_id INTEGER REFERENCES regions (id),
    birth_date DATE,
    newsletter BOOLEAN NOT NULL,
    registered_at TIMESTAMP NOT NULL
);

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    order_no VARCHAR(16) NOT NULL UNIQUE,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    employee_id INTEGER REFERENCES employees (id),
    ordered_at TIMESTAMP NOT NULL,
    channel VARCHAR(10) NOT NULL,
    status VARCHAR(12) NOT NULL,
    payment_code VARCHAR(4) NOT NULL,
    carrier VARCHAR(10),
    discount_code VARCHAR(16),
    shipping_fee NUMERIC(8, 2) NOT NULL,
    total NUMERIC(12, 2) NOT NULL,
    shipped_at TIMESTAMP,
    delivered_at TIMESTAMP
);

CREATE TABLE order_lines (
    id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (id),
    line_no INTEGER NOT NULL,
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL,
    unit_price NUMERIC(10, 2) NOT NULL,
    discount_pct INTEGER,
    UNIQUE (order_id, line_no)
);

CREATE TABLE returns (
    id INTEGER PRIMARY KEY,
    order_line_id INTEGER NOT NULL REFERENCES order_lines (id),
    returned_at DATE NOT NULL,
    quantity INTEGER NOT NULL,
    refund_amount NUMERIC(12, 2),
    reason_code CHAR(2),
    status VARCHAR(10) NOT NULL,
    note TEXT
);

CREATE TABLE support_tickets (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (id),
    order_id INTEGER REFERENCES orders (id),
    employee_id INTEGER REFERENCES employees (id),
    opened_at TIMESTAMP NOT NULL,
    closed_at TIMESTAMP,
    channel VARCHAR(10) NOT NULL,
    topic VARCHAR(20),
    priority VARCHAR(2) NOT NULL,
    satisfaction INTEGER,
    subject VARCHAR(120)
);

CREATE TABLE web_sessions (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers (id),
    order_id INTEGER UNIQUE REFERENCES orders (id),
    started_at TIMESTAMP NOT NULL,
    seconds INTEGER,
    pages INTEGER NOT NULL,
    device VARCHAR(10),
    source VARCHAR(20),
    landing_page VARCHAR(80) NOT NULL
);

CREATE INDEX customers_region ON customers (region_id);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_ordered_at ON orders (ordered_at);
CREATE INDEX order_lines_product ON order_lines (product_id);
CREATE INDEX products_category ON products (category_id);
CREATE INDEX returns_line ON returns (order_line_id);
CREATE INDEX tickets_order ON support_tickets (order_id);
CREATE INDEX tickets_customer ON support_tickets (customer_id);
CREATE INDEX sessions_customer ON web_sessions (customer_id);
