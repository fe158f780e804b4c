"""Who works in the demo shop, and who buys there."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from random import Random

from connections.demo.rows import Customer, Employee, Region
from connections.demo.words import FIRM_KINDS, FIRM_NAMES, FIRST_NAMES, LAST_NAMES, MAIL_HOSTS, REGIONS

CUSTOMERS = 8_000
REGISTERED_TWICE = 50
EMPLOYEES = 120

# department, how it was typed, the share of people, titles
DEPARTMENTS = (
    ("Sales", ("Sales", "sales", "SALES"), 30, ("Sales assistant", "Key account manager")),
    ("Support", ("Support", "support", "Customer support"), 35, ("Support agent", "Senior support agent")),
    ("Warehouse", ("Warehouse", "warehouse", "WH"), 40, ("Picker", "Shift lead", "Returns clerk")),
    ("Purchasing", ("Purchasing",), 8, ("Buyer",)),
    ("IT", ("IT",), 7, ("Developer", "Data analyst")),
)
FOLDED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "ë": "e", "ø": "o", "ı": "i", "á": "a", "'": ""}
)


def employees(rng: Random, regions: list[Region], until: date) -> list[Employee]:
    """The first is the head of all; the next five lead a department each."""
    people = [_employee(rng, 1, DEPARTMENTS[0], "Managing director", None, None, until)]
    for lead, department in enumerate(DEPARTMENTS, start=2):
        people.append(_employee(rng, lead, department, f"Head of {department[0]}", 1, None, until))
    weights = [department[2] for department in DEPARTMENTS]
    for number in range(len(people) + 1, EMPLOYEES + 1):
        lead = rng.choices(range(len(DEPARTMENTS)), weights)[0]
        department = DEPARTMENTS[lead]
        region = rng.choice(regions).id if department[0] == "Sales" else None
        people.append(_employee(rng, number, department, rng.choice(department[3]), lead + 2, region, until))
    return people


def _employee(
    rng: Random, number: int, department: tuple[str, tuple[str, ...], int, tuple[str, ...]], title: str,
    manager: int | None, region: int | None, until: date,
) -> Employee:  # fmt: skip
    name = _name(rng)
    leads = number <= 1 + len(DEPARTMENTS)
    hired = until - timedelta(days=rng.randrange(1200 if leads else 60, 4200))
    left = hired + timedelta(days=rng.randrange(200, 2500))
    return Employee(
        id=number,
        name=name,
        email=f"{_mailbox(name)}{number}@shop.example",
        department=rng.choice(department[1]) if rng.random() < 0.97 else None,
        job_title=title,
        manager_id=manager,
        region_id=region,
        hired_on=hired,
        left_on=left if not leads and left < until and rng.random() < 0.5 else None,
    )


def customers(rng: Random, regions: list[Region], since: date, until: date) -> list[Customer]:
    """In the order of their registration; the last few are people who registered a second time."""
    days = sorted(_registered(rng, since, until) for _ in range(CUSTOMERS))
    people = [_customer(rng, number, regions, day) for number, day in enumerate(days, start=1)]
    twins = enumerate(rng.sample(people, REGISTERED_TWICE), start=CUSTOMERS + 1)
    return people + [_second_account(rng, twin, number, until) for number, twin in twins]


def _registered(rng: Random, since: date, until: date) -> datetime:
    """A third came before the first order that the database still holds; of the others more come each year."""
    period = (until - since).days
    days = -rng.randrange(1, 1400) if rng.random() < 0.33 else int(period * rng.random() ** 0.8)
    return at(rng, since + timedelta(days=days))


def at(rng: Random, day: date) -> datetime:
    """A moment of that day, more often in the evening than at night."""
    hour = rng.choices(range(24), (2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 9, 10, 9, 8, 8, 9, 10, 12, 14, 15, 13, 9, 5))[0]
    return datetime.combine(day, time(hour, rng.randrange(60), rng.randrange(60)))


def _customer(rng: Random, number: int, regions: list[Region], registered: datetime) -> Customer:
    place = rng.choices(range(len(regions)), [9 if line.startswith("DE") else 2 for line in REGIONS])[0]
    cities, digits = REGIONS[place].split("|")[2:]
    is_firm = rng.random() < 0.12
    name = f"{rng.choice(FIRM_NAMES)} {rng.choice(LAST_NAMES)} {rng.choice(FIRM_KINDS)}" if is_firm else _name(rng)
    return Customer(
        id=number,
        customer_no=f"C-{100_000 + number}",
        name=name.upper() if rng.random() < 0.03 else name,
        email=_email(rng, name, number),
        phone=_phone(rng),
        segment=_segment(rng, is_firm),
        city=rng.choice(cities.split(",")) if rng.random() < 0.96 else None,
        postal_code=_postal_code(rng, regions[place].code, digits),
        region_id=regions[place].id if rng.random() < 0.98 else None,
        birth_date=None if is_firm or rng.random() < 0.35 else date(1940, 1, 1) + timedelta(days=rng.randrange(24_500)),
        newsletter=rng.random() < 0.41,
        registered_at=registered,
    )


def _second_account(rng: Random, twin: Customer, number: int, until: date) -> Customer:
    """The same person again: another spelling of the address, no birthday."""
    later = twin.registered_at + (datetime.combine(until, time()) - twin.registered_at) * rng.random()
    return twin._replace(
        id=number,
        customer_no=f"C-{100_000 + number}",
        email=twin.email.title() if twin.email else None,
        birth_date=None,
        registered_at=later.replace(microsecond=0),
    )


def _name(rng: Random) -> str:
    last = rng.choice(LAST_NAMES)
    return f"{rng.choice(FIRST_NAMES)} {last}" + (f"-{rng.choice(LAST_NAMES)}" if rng.random() < 0.03 else "")


def _mailbox(name: str) -> str:
    words = name.lower().translate(FOLDED).replace("&", "").replace("-", " ").split()
    return ".".join(word.strip(".") for word in words[:2])


def _email(rng: Random, name: str, number: int) -> str | None:
    if rng.random() < 0.05:
        return None
    address = f"{_mailbox(name)}{number % 97 or ''}@{rng.choice(MAIL_HOSTS)}"
    return address.upper() if rng.random() < 0.02 else address


def _phone(rng: Random) -> str | None:
    digits = "".join(rng.choices("0123456789", k=7))
    spellings = (f"+49 30 {digits}", f"030/{digits}", f"0049-30-{digits[:3]} {digits[3:]}", f"(030) {digits}")
    return rng.choice(spellings) if rng.random() < 0.7 else None


def _segment(rng: Random, is_firm: bool) -> str | None:
    if rng.random() < 0.06:
        return None
    return rng.choices(["B2B", "b2b"] if is_firm else ["B2C", "b2c"], [9, 1])[0]


def _postal_code(rng: Random, region: str, digits: str) -> str | None:
    """As people typed it: five digits in Germany, a leading zero kept, letters in the Netherlands."""
    if rng.random() < 0.04:
        return None
    if region.startswith("NL"):
        return f"{digits}{rng.randrange(100):02} {rng.choice('ABCDEHKLN')}{rng.choice('ABCDEHKLN')}"
    return f"{digits}{rng.randrange(1000):03}" if region.startswith("DE") else f"{digits}{rng.randrange(100):02}"
