from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from agents.library import scheduling, search_index  # noqa: F401  their receivers follow what becomes of runs
