from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Their receivers follow what becomes of runs and connections.
        from agents.library import removed_connections, scheduling, search_index  # noqa: F401
