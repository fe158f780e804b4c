"""`manage.py rotate_keys`: seal every stored secret with the newest key."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import transaction

from agents.models import LanguageModel
from connections import crypto
from connections.models import Connection
from reactsql_web import keys

SECRETS = ((Connection, "password_encrypted"), (LanguageModel, "key_encrypted"))


class Command(BaseCommand):
    help = (
        "Encrypt stored passwords and keys again with the first of FERNET_KEYS; afterwards the others can be removed. "
        "Where FERNET_KEYS is not set, a new key is made first and the old ones are dropped."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        file = settings.FERNET_KEYS_FILE
        if file is not None:
            settings.FERNET_KEYS = keys.put_on_top(file)
        with transaction.atomic():
            number = sum(_rotate(model, field) for model, field in SECRETS)
        if file is not None:
            keys.keep_newest(file)
            self.stdout.write("Restart web and worker, so that they know the new key.")
        self.stdout.write(f"Encrypted {number} secrets with the newest key.")


def _rotate(model: type[Connection] | type[LanguageModel], field: str) -> int:
    number = 0
    for row in model.objects.select_for_update():
        sealed = getattr(row, field)
        if sealed:
            setattr(row, field, crypto.rotate(sealed))
            row.save(update_fields=[field])
            number += 1
    return number
