"""Which addresses may be reached."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from connections.errors import ConnectionFailedError
from connections.network import NetworkPolicy, reachable_addresses

EVERYWHERE = ""
REACHABLE = [
    (EVERYWHERE, "10.1.2.3", True),
    (EVERYWHERE, "127.0.0.1", True),
    (EVERYWHERE, "8.8.8.8", True),
    (EVERYWHERE, "2001:db8::1", True),
    (EVERYWHERE, "169.254.169.254", False),
    (EVERYWHERE, "169.254.0.1", False),
    (EVERYWHERE, "::ffff:169.254.169.254", False),
    (EVERYWHERE, "64:ff9b::a9fe:a9fe", False),
    (EVERYWHERE, "2002:a9fe:a9fe::1", False),
    (EVERYWHERE, "fe80::1", False),
    (EVERYWHERE, "fd00:ec2::254", False),
    (EVERYWHERE, "100.100.100.200", False),
    (EVERYWHERE, "0.0.0.0", False),
    (EVERYWHERE, "224.0.0.1", False),
    ("10.0.0.0/8", "10.9.9.9", True),
    ("10.0.0.0/8", "11.0.0.1", False),
    ("10.0.0.0/8", "::ffff:10.0.0.1", True),
    ("10.0.0.0/8, 192.168.1.7", "192.168.1.7", True),
    ("10.0.0.0/8, 192.168.1.7", "192.168.1.8", False),
    ("0.0.0.0/0", "169.254.169.254", False),
    ("169.254.0.0/16", "169.254.169.254", True),
    ("169.254.10.0/24", "169.254.10.5", True),
    ("fd00::/8", "fd00::5", True),
    ("fd00::/8", "fd00:ec2::254", False),
]


@pytest.mark.parametrize(("setting", "address", "allowed"), REACHABLE)
def test_an_address_is_reachable_only_where_a_setting_says_so(setting: str, address: str, allowed: bool) -> None:
    assert NetworkPolicy.from_text(setting).permits(ipaddress.ip_address(address)) is allowed


def test_a_bad_setting_is_loud() -> None:
    with pytest.raises(ValueError, match=r"300\.1\.1\.1"):
        NetworkPolicy.from_text("300.1.1.1/8")


def test_a_name_with_one_forbidden_address_is_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", (address, 5432)) for address in ("10.0.0.1", "169.254.169.254")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert reachable_addresses("two-faced.example", 5432, None) == ("10.0.0.1", "169.254.169.254")
    with pytest.raises(ConnectionFailedError, match=r"two-faced\.example is in a network"):
        reachable_addresses("two-faced.example", 5432, NetworkPolicy())


def test_an_unknown_name_is_said_to_be_unknown() -> None:
    with pytest.raises(ConnectionFailedError, match="no host named"):
        reachable_addresses("no-such-host.invalid", 5432, None)
