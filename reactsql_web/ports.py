"""Ports of this machine: whether one is free before anything starts, and whether what listens there has come up."""

from __future__ import annotations

import errno
import socket
import time
import urllib.error
import urllib.request


class PortTakenError(Exception):
    """The port cannot be listened on; the message says which variable chooses another."""


def check_free(variable: str, host: str, port: int) -> None:
    """Raise PortTakenError unless a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server that just stopped is no obstacle
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTakenError(_words(error, variable, host, port)) from error


def _words(error: OSError, variable: str, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is in use, by another program or by a ReAct-SQL Web that runs already. "
            f"Stop it, or choose another port: make run {variable}={port + 1}"
        )
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used without root. Choose one above 1023: make run {variable}=8000"
    return f"Nothing can listen on {host}, port {port} ({error.strerror}). Set HOST and {variable} to what exists here."


def address(host: str, port: int) -> str:
    """Where this machine itself reaches a server that listens on `host`."""
    name = "localhost" if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def wait_until_up(url: str, seconds: float) -> str:
    """Ask `url` until it answers with success. Returns "" then, else what the last answer was after `seconds`."""
    end = time.monotonic() + seconds
    while late := _problem(url):
        if time.monotonic() >= end:
            return late
        time.sleep(0.5)
    return ""


def _problem(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return ""
    except urllib.error.HTTPError as error:
        return f"{url} answers {error.code}: {error.read(500).decode(errors='replace')}"
    except OSError as error:
        return f"{url} does not answer ({error})"
