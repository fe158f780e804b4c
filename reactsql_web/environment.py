"""Every setting of the product: name, default, help. The README's table is tested against `SETTINGS`.

Settings come from the environment only; env_file.py adds to it what a file says. A value that cannot be read stops the
start and says what would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from connections.network import NetworkPolicy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """One variable. `default` is its text when unset; `secret` values are never printed."""

    name: str
    default: str
    help: str
    secret: bool = False


SETTINGS: tuple[Setting, ...] = (
    # Where it runs
    Setting("HOST", "127.0.0.1", "Address that the web process listens on; 0.0.0.0: every network of this machine"),
    Setting("PORT", "8000", "Port that the web process listens on"),
    Setting("SITE_URL", "", "Address that people type; https switches secure cookies and HSTS on; "
            "empty: http://localhost and the port"),
    Setting("ALLOWED_HOSTS", "", "Further host names to answer to, separated by commas"),
    Setting("TRUST_PROXY", "off", "on: believe X-Forwarded-Proto and X-Forwarded-For of the proxy in front"),
    Setting("DEBUG", "off", "on: error pages with details; never on a machine that others can reach"),
    Setting("SECRET_KEY", "", "Signs sessions; empty: made once and kept in the data folder", secret=True),
    Setting("FERNET_KEYS", "", "Encrypt stored passwords and keys, newest first, separated by commas; "
            "empty: made once and kept in the data folder", secret=True),
    Setting("ENV_FILE", ".env", "File with settings, beside manage.py; what the environment says wins over it; "
            "off: none is read"),
    # Where it keeps things
    Setting("DATA_DIR", "data", "The product's own files: database, results, keys, file broker"),
    Setting("DATABASES_DIR", "data/databases", "The only folder whose SQLite and DuckDB files can be asked"),
    Setting("DATABASE_URL", "", "The product's own database as postgresql://user:password@host:port/name; "
            "empty: SQLite in the data folder", secret=True),
    Setting("REDIS_URL", "", "Broker and doorbell, for example redis://127.0.0.1:6379/0; "
            "empty: files in the data folder", secret=True),
    Setting("WORKER_THREADS", "16", "Runs that one worker works on at a time; most of a run is waiting"),
    Setting("LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR"),
    Setting("LOG_FORMAT", "console", "console: for people; json: one object a line"),
    Setting("METRICS_TOKEN", "", "Bearer token for /metrics; empty: only this machine may read it", secret=True),
    Setting("DEMO_DATABASE_URL", "", "Where the demo shop is, as a SQLAlchemy URL; "
            "empty: demo.sqlite in the databases folder", secret=True),
    # The language model
    Setting("LLM_MODEL", "", "litellm id of the model that answers, for example openai/gpt-5-mini; "
            "empty: the local model"),
    Setting("LLM_API_KEY", "", "Key for the model's API", secret=True),
    Setting("LLM_API_BASE", "", "Address of the model's API, where it is not the provider's own"),
    Setting("LLM_TEMPERATURE", "", "Temperature from 0 to 2; empty: the provider's own"),
    Setting("LLM_MAX_OUTPUT_TOKENS", "4096", "Longest reply, in tokens"),
    Setting("LLM_CONTEXT_TOKENS", "128000", "Tokens that the model can read at once"),
    Setting("LLM_SIZE", "capable", "capable: composes operations itself; small: drafts SQL that is lifted"),
    Setting("LLM_PRICE_INPUT", "", "US dollars per million tokens read; empty: as litellm knows it"),
    Setting("LLM_PRICE_CACHED", "", "US dollars per million tokens read from the provider's cache"),
    Setting("LLM_PRICE_OUTPUT", "", "US dollars per million tokens written"),
    Setting("LLM_EXTRA", "", 'Further parameters as a JSON object, for example {"reasoning_effort": "low"}'),
    Setting("LLM_TIMEOUT_SECONDS", "120", "Seconds without a word of the model until a call is given up"),
    Setting("LLM_MAX_CONCURRENT", "32", "Calls of the model that one worker makes at a time; the others wait"),
    Setting("LLM_SAMPLES", "1", "Drafts that vote where SQL is drafted (lift, reforce); 3 for the local model"),
    Setting("LLM_CONSTRAINED", "", "Keeps replies to what exists, where the server can: json_schema (OpenAI, "
            "llama.cpp, Ollama) or guided_json (vLLM)"),
    Setting("LLM_FALLBACK_MODEL", "", "litellm id of a model that answers when LLM_MODEL cannot be asked; empty: none"),
    Setting("LLM_FALLBACK_API_KEY", "", "Key for the fallback model's API", secret=True),
    Setting("LLM_FALLBACK_API_BASE", "", "Address of the fallback model's API, where it is not the provider's own"),
    Setting("LLM_FALLBACK_PRICE_INPUT", "", "As LLM_PRICE_INPUT, for the fallback model"),
    Setting("LLM_FALLBACK_PRICE_CACHED", "", "As LLM_PRICE_CACHED, for the fallback model"),
    Setting("LLM_FALLBACK_PRICE_OUTPUT", "", "As LLM_PRICE_OUTPUT, for the fallback model"),
    Setting("LLM_FALLBACK_EXTRA", "", "As LLM_EXTRA, for the fallback model"),
    Setting("LLM_FALLBACK_CONSTRAINED", "", "As LLM_CONSTRAINED, for the fallback model"),
    Setting("LOCAL_MODEL_PATH", "", "A GGUF file to serve instead of the local model that is fetched"),
    Setting("LOCAL_MODEL_CACHE", "~/.cache/reactsql-web", "Folder that the local model is fetched into"),
    Setting("LOCAL_MODEL_PORT", "8021", "Port that the local model listens on, on this machine only"),
    Setting("LOCAL_MODEL_THREADS", "", "Threads of the local model; empty: the machine's cores, at most 8"),
    # A run
    Setting("STRATEGY", "auto", "How questions are answered: auto, react, lift, react-sql, reforce, iesr or zero-shot"),
    Setting("RUN_MAX_TURNS", "15", "Turns that a run may take"),
    Setting("RUN_MAX_CALLS_PER_TURN", "8", "Calls that a turn may hold"),
    Setting("RUN_MAX_TOKENS", "500000", "Tokens, in and out, that a run may use"),
    Setting("RUN_MAX_COST", "1.00", "US dollars that a run may cost; 0: no limit"),
    Setting("RUN_MAX_SECONDS", "600", "Seconds that a run may take"),
    Setting("IESR_ROLLOUTS", "6", "Rollouts of the search that the strategy iesr makes, each a handful of model calls"),
    Setting("SHAPING", "auto", "auto: the model shapes the answer's table only where needed; always: as in the paper"),
    Setting("QUESTION_CHARACTERS", "8000", "Longest question"),
    Setting("QUESTIONS_PER_MINUTE", "20", "Questions that one person may ask in a minute"),
    Setting("EXPORT_ROWS", "1000000", "Rows that a full export of an answer reads afresh from the database"),
    Setting("EXPORT_SECONDS", "600", "Seconds that a full export may take"),
    # How long things are kept
    Setting("QUESTION_DAYS", "0", "Days until a question that nobody went on with is deleted, unless it is shared, "
            "verified, in a collection or part of an evaluation; 0: never"),
    Setting("RESULT_DAYS", "30", "Days until the rows of a result are deleted, with the same exceptions; "
            "the trace stays"),
    Setting("LINK_DAYS", "30", "Days until a share or link that has ended is forgotten; 0: never"),
    Setting("LOG_DAYS", "365", "Days until entries of the query log and the audit log are deleted"),
    # Signing in
    Setting("LOGIN_FAILURES", "5", "Wrong passwords for a name from one address (IPv6: one /64 network) until that "
            "address is locked out of that name"),
    Setting("LOGIN_LOCK_MINUTES", "15", "Minutes that a lock-out lasts"),
    Setting("SESSION_HOURS", "336", "Hours until a person must log in again"),
    Setting("OIDC_SERVER_URL", "", "Issuer for single sign-on by OpenID Connect; empty: off"),
    Setting("OIDC_CLIENT_ID", "", "Client id at that issuer"),
    Setting("OIDC_CLIENT_SECRET", "", "Client secret at that issuer", secret=True),
    Setting("OIDC_NAME", "Single sign-on", "Words on the sign-on button"),
    Setting("OIDC_ORIGINS", "", "Other sites that a sign-on leads through, as https://login.example.com, with commas "
            "between: where the issuer has its login page on another host"),
    # Mail
    Setting("EMAIL_URL", "", "Mail server for notices and schedules, as smtp://user:password@host:587; smtps: TLS from "
            "the first byte; smtp+plain: none; empty: no mail is sent", secret=True),
    Setting("EMAIL_FROM", "ReAct-SQL <reactsql@localhost>", "Sender of the mails"),
    # Customers' databases
    Setting("DATABASE_NETWORKS", "", "Networks that connections may reach, as 10.0.0.0/8,192.168.1.0/24; "
            "empty: any but link-local ones"),
)  # fmt: skip

_FLAGS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class Environment:
    """Reads settings out of `values`. Only names in `SETTINGS` can be read."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._settings = {setting.name: setting for setting in SETTINGS}

    def text(self, name: str) -> str:
        default = self._settings[name].default
        return (self._values.get(name) or default).strip()

    def flag(self, name: str) -> bool:
        return self._read(name, lambda text: _FLAGS[text.lower()], "on or off")

    def integer(self, name: str, *, least: int = 0) -> int:
        return self._read(name, lambda text: _at_least(int(text), least), f"a whole number of at least {least}")

    def number(self, name: str) -> float:
        return self._read(name, lambda text: _at_least(float(text), 0.0), "a number of at least 0")

    def words(self, name: str) -> list[str]:
        return [word.strip() for word in self.text(name).split(",") if word.strip()]

    def origin(self, name: str) -> str:
        return self._read(name, _origin, "an address such as https://login.example.com")

    def origins(self, name: str) -> list[str]:
        return self._read(
            name, lambda text: [_origin(word.strip()) for word in text.split(",") if word.strip()],
            "addresses such as https://login.example.com, with commas between",
        )  # fmt: skip

    def networks(self, name: str) -> NetworkPolicy:
        return self._read(name, NetworkPolicy.from_text, "networks such as 10.0.0.0/8,192.168.1.0/24")

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        found = {choice.lower(): choice for choice in choices}
        return self._read(name, lambda text: found[text.lower()], " or ".join(choices))

    def _read(self, name: str, parse: Callable[[str], T], right: str) -> T:
        text = self.text(name)
        try:
            return parse(text)
        except (KeyError, ValueError) as error:
            shown = "its value" if self._settings[name].secret else repr(text)
            raise ImproperlyConfigured(f"{name}: {shown} cannot be read; it must be {right}.") from error


def _origin(address: str) -> str:
    """Scheme and host, as a content security policy names a site."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address} is no address")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


N = TypeVar("N", int, float)


def _at_least(number: N, least: N) -> N:
    if not least <= number < float("inf"):
        raise ValueError(f"{number} is out of range")
    return number
