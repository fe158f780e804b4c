"""For servers without ASGI; live pages need asgi.py."""

import os

from django.core.wsgi import get_wsgi_application

from reactsql_web import checks, env_file

env_file.read()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
application = get_wsgi_application()
checks.stop_on_errors()
