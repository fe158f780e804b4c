"""Which network addresses a connection may reach.

A form that takes a host name is a way into the server's own network. Link-local addresses (where clouds answer with
their metadata and keys) are blocked unless a network that the administrator lists holds them by name. Names are
resolved here and the checked address is what is connected to, so that a second look-up cannot lead elsewhere.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from connections.errors import ConnectionFailedError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

EVERYWHERE: tuple[Network, ...] = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))

# Answered by clouds with credentials, or never the address of a database.
BLOCKED: tuple[Network, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "169.254.0.0/16",
        "fe80::/10",  # link-local, with the metadata services of most clouds
        "fd00:ec2::254/128",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "168.63.129.16/32",  # metadata elsewhere
        "0.0.0.0/8",
        "::/128",
        "224.0.0.0/4",
        "ff00::/8",
        "240.0.0.0/4",  # this host by accident, multicast, reserved
    )  # fmt: skip
)


@dataclass(frozen=True, slots=True)
class NetworkPolicy:
    """`allowed` networks may be reached; of those, `BLOCKED` only where `allowed` names them more narrowly."""

    allowed: tuple[Network, ...] = EVERYWHERE

    @classmethod
    def from_text(cls, text: str) -> NetworkPolicy:
        """From a setting such as `10.0.0.0/8, 192.168.1.7`; empty means everywhere. Raises ValueError."""
        entries = [ipaddress.ip_network(entry) for entry in text.replace(",", " ").split()]
        return cls(tuple(entries) or EVERYWHERE)

    def permits(self, address: Address) -> bool:
        plain = _unwrapped(address)
        inside = [network for network in self.allowed if plain in network]
        blocks = [network for network in BLOCKED if plain in network]
        return bool(inside) and not any(
            all(network.prefixlen < block.prefixlen for network in inside) for block in blocks
        )


def reachable_addresses(host: str, port: int, policy: NetworkPolicy | None) -> tuple[str, ...]:
    """The addresses of `host` in the order to try them. Raises ConnectionFailedError.

    One forbidden address among several refuses the whole name: it may be the one that answers.
    """
    addresses = tuple(dict.fromkeys(_resolve(host, port)))
    if policy and not all(policy.permits(ipaddress.ip_address(text.partition("%")[0])) for text in addresses):
        raise ConnectionFailedError(
            f"{host} is in a network that connections may not reach. An administrator can allow its network "
            "(DATABASE_NETWORKS)."
        )
    return addresses


def connected_socket(host: str, port: int, policy: NetworkPolicy | None, seconds: float) -> socket.socket:
    """A socket to the first address of `host` that answers. Raises ConnectionFailedError or OSError."""
    failure: OSError | None = None
    for address in reachable_addresses(host, port, policy):
        try:
            return socket.create_connection((address, port), seconds)
        except OSError as error:
            failure = error
    raise failure or OSError("the name has no address")


def no_answer(server: str, place: str) -> str:
    """One sentence for a closed, a filtered and a silent port, so that a form cannot be used to scan a network."""
    return f"{server} does not answer at {place}. Check host, port and firewall, and that the server runs."


def no_tls(server: str, place: str, reason: str) -> str:
    """`reason` is the driver's."""
    hint = ""
    if "certificate" in reason.lower():
        hint = ". The server's certificate must name this host and come from an authority that this machine trusts."
    return f"No TLS connection to {server} at {place}: {reason.rstrip('.')}{hint or '.'}"


def _resolve(host: str, port: int) -> Iterable[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ConnectionFailedError(
            f"There is no host named {host}, or its name cannot be resolved here. "
            "Check its spelling, or write its address."
        ) from None
    return [str(entry[4][0]) for entry in found]


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one (`::ffff:169.254.169.254`, 6to4, Teredo's server side, NAT64)."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address.sixtofour:
            return address.sixtofour
        if address in ipaddress.ip_network("64:ff9b::/96"):
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
