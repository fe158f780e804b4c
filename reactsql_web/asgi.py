"""The web process: `uvicorn reactsql_web.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

from reactsql_web import checks, env_file

env_file.read()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
application = get_asgi_application()
checks.stop_on_errors()
