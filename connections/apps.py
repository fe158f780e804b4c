from django.apps import AppConfig
from django.urls import register_converter

from connections.row_keys import KeyConverter


class ConnectionsConfig(AppConfig):
    name = "connections"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_converter(KeyConverter, "key")
