#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists the commands."""

import os
import sys

from reactsql_web import env_file


def main() -> None:
    env_file.read()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reactsql_web.settings")
    from django.core.management import execute_from_command_line  # late: settings must be named first

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
