"""For servers without ASGI; live pages need asgi.py."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
application = get_wsgi_application()
