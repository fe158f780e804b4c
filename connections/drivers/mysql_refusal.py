"""Why MySQL or MariaDB let nobody in, in words for whoever set the connection up."""

from __future__ import annotations

import ssl

import pymysql

from connections.errors import ConnectionFailedError, LoginRefusedError, TLSFailedError
from connections.network import no_answer, no_tls

WRONG_LOGIN = frozenset({1045, 1698, 1524})  # access denied; also without a password; unknown way to log in
TLS_FAILED = frozenset({2026, 3159})


def why_not(error: Exception, place: str, user: str, *, tls_is_off: bool) -> ConnectionFailedError:
    """The server's own reason where a server answered; one and the same sentence where none did."""
    code = error.args[0] if isinstance(error, pymysql.MySQLError) and error.args else None
    if code in WRONG_LOGIN:
        # MariaDB says the same to a login that must use TLS.
        hint = ", or it must use TLS, which is off for this connection" if tls_is_off else ""
        return LoginRefusedError(f"MySQL at {place} refused the login of {user}: wrong user or password{hint}.")
    if code in TLS_FAILED or isinstance(error, ssl.SSLError) or "SSL" in str(error):
        return TLSFailedError(no_tls("MySQL", place, words(error)))
    if isinstance(code, int) and code >= 1000 and not 2000 <= code < 3000:  # those between are the client's own
        return LoginRefusedError(f"MySQL at {place} refused the login of {user}: {words(error)}")
    return ConnectionFailedError(no_answer("MySQL", place))


def words(error: Exception) -> str:
    """The server's own words, without its number."""
    return str(error.args[1] if len(error.args) > 1 else error)
