from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "reactsql_web"
    verbose_name = "ReAct-SQL Web"

    def ready(self) -> None:
        from reactsql_web import audit, celery, checks  # noqa: F401  (their import registers signals, tasks, checks)
