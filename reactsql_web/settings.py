"""Every setting of the product, read from the environment (environment.py lists them). A fresh checkout needs none."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from reactsql_web import keys, logs, mail
from reactsql_web.database import own_database
from reactsql_web.environment import Environment

env = Environment(os.environ)
BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where it runs ---------------------------------------------------------------------------------------------------

HOST, PORT = env.text("HOST"), env.integer("PORT", least=1)
SITE_URL = env.text("SITE_URL").rstrip("/") or f"http://localhost:{PORT}"
_site = urlsplit(SITE_URL)
if _site.scheme not in ("http", "https") or not _site.hostname:
    raise ImproperlyConfigured(f"SITE_URL: {SITE_URL!r} is no address; it must be like https://ask.example.com.")
IS_HTTPS = _site.scheme == "https"
DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = [_site.hostname, *env.words("ALLOWED_HOSTS"), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [f"{_site.scheme}://{_site.netloc}"]
TRUST_PROXY = env.flag("TRUST_PROXY")

# --- Where it keeps things -------------------------------------------------------------------------------------------

DATA_DIR = (BASE_DIR / env.text("DATA_DIR")).resolve()
DATABASES_DIR = (BASE_DIR / env.text("DATABASES_DIR")).resolve()
RESULTS_DIR = DATA_DIR / "results"
BROKER_DIR = DATA_DIR / "broker"
DEMO_DATABASE = DATABASES_DIR / "demo.sqlite"
DEMO_DATABASE_URL = env.text("DEMO_DATABASE_URL")
SECRET_KEY = keys.secret_key(env.text("SECRET_KEY"), DATA_DIR)
FERNET_KEYS = keys.fernet_keys(env.words("FERNET_KEYS"), DATA_DIR)
SECRET_KEY_FILE = None if env.text("SECRET_KEY") else DATA_DIR / keys.SECRET_FILE
FERNET_KEYS_FILE = None if env.text("FERNET_KEYS") else DATA_DIR / keys.FERNET_FILE
DATABASES = {"default": own_database(env.text("DATABASE_URL"), DATA_DIR)}
REDIS_URL = env.text("REDIS_URL")
WORKER_THREADS = env.integer("WORKER_THREADS", least=1)
METRICS_TOKEN = env.text("METRICS_TOKEN")

# --- Django ----------------------------------------------------------------------------------------------------------

OIDC_SERVER_URL = env.text("OIDC_SERVER_URL")
OIDC_ORIGINS = [env.origin("OIDC_SERVER_URL"), *env.origins("OIDC_ORIGINS")] if OIDC_SERVER_URL else []
_allauth = ["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"]

INSTALLED_APPS = [
    "reactsql_web",
    "connections",
    "agents",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
    *(_allauth if OIDC_SERVER_URL else []),
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "reactsql_web.static_files.StaticFiles",
    "reactsql_web.middleware.in_turn",
    "reactsql_web.middleware.for_this_reader",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    *(["allauth.account.middleware.AccountMiddleware"] if OIDC_SERVER_URL else []),
    "reactsql_web.middleware.password_change_required",
    "reactsql_web.middleware.in_own_time_zone",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "reactsql_web.urls"
ASGI_APPLICATION = "reactsql_web.asgi.application"
WSGI_APPLICATION = "reactsql_web.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "reactsql_web.context.site",
            ],
        },
    },
]
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # served from where they are: no collectstatic before a start
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# --- People ----------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "connections.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    *(["allauth.account.auth_backends.AuthenticationBackend"] if OIDC_SERVER_URL else []),
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_AGE = env.integer("SESSION_HOURS", least=1) * 3600
AXES_FAILURE_LIMIT = env.integer("LOGIN_FAILURES", least=1)
AXES_COOLOFF_TIME = timedelta(minutes=env.integer("LOGIN_LOCK_MINUTES", least=1))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "reactsql_web.views.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "reactsql_web.address.login_address"
OIDC_NAME = env.text("OIDC_NAME")
if OIDC_SERVER_URL:
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "APPS": [
                {
                    "provider_id": "oidc",
                    "name": OIDC_NAME,
                    "client_id": env.text("OIDC_CLIENT_ID"),
                    "secret": env.text("OIDC_CLIENT_SECRET"),
                    "settings": {"server_url": OIDC_SERVER_URL},
                }
            ]
        }
    }
    SOCIALACCOUNT_ONLY = True
    ACCOUNT_EMAIL_VERIFICATION = "none"

# --- Mail ------------------------------------------------------------------------------------------------------------

EMAIL_URL = env.text("EMAIL_URL")
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM")
globals().update(mail.mail_server(EMAIL_URL))

# --- Security headers ------------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Questions and runs ----------------------------------------------------------------------------------------------

STRATEGY = env.text("STRATEGY")
RUN_MAX_TURNS = env.integer("RUN_MAX_TURNS", least=1)
RUN_MAX_CALLS_PER_TURN = env.integer("RUN_MAX_CALLS_PER_TURN", least=1)
RUN_MAX_TOKENS = env.integer("RUN_MAX_TOKENS", least=1)
RUN_MAX_COST = env.number("RUN_MAX_COST")
RUN_MAX_SECONDS = env.number("RUN_MAX_SECONDS")
IESR_ROLLOUTS = env.integer("IESR_ROLLOUTS", least=1)
SHAPING = env.choice("SHAPING", ("auto", "always"))
QUESTION_CHARACTERS = env.integer("QUESTION_CHARACTERS", least=1)
QUESTIONS_PER_MINUTE = env.integer("QUESTIONS_PER_MINUTE", least=1)
EXPORT_ROWS = env.integer("EXPORT_ROWS", least=1)
EXPORT_SECONDS = env.integer("EXPORT_SECONDS", least=1)
QUESTION_DAYS = env.integer("QUESTION_DAYS")
RESULT_DAYS = env.integer("RESULT_DAYS", least=1)
LINK_DAYS = env.integer("LINK_DAYS")
LOG_DAYS = env.integer("LOG_DAYS", least=1)
DATABASE_NETWORKS = env.networks("DATABASE_NETWORKS")

# --- Worker ----------------------------------------------------------------------------------------------------------
# The database is the truth: the broker only says "look", so a lost message costs one sweep and a doubled one nothing.

CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost//"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 3600}
    if REDIS_URL
    else {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.1,
    }
)
CELERY_ACCEPT_CONTENT = ["json"]  # a message can hold ids, never code
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = WORKER_THREADS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "questions"
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE = {
    "catalogues": {"task": "connections.refresh_all", "schedule": crontab(hour="4", minute="15")},
    "schedules": {"task": "agents.schedules", "schedule": 60.0},  # of saved questions: looks what is due
}

LOGGING = logs.configuration(
    env.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR")), env.choice("LOG_FORMAT", ("console", "json"))
)
