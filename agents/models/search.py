"""What the list of questions is searched by, and filters that a person keeps."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from agents.models.ownership import deleted_person
from agents.models.run import Run
from connections.models import Connection


class SearchEntry(models.Model):
    """One line for each run: whose it is, how it ended, and its words (agents/library/search_index.py writes them).

    The words have an index of the database's own: a GIN index on PostgreSQL, on SQLite the FTS5 table
    agents_search_fts, which triggers keep in step. A migration that alters this table on SQLite makes it anew and loses
    these triggers: it must run `make_index` of migration 0005 again.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="search_entry")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET(deleted_person), related_name="+")
    connection = models.ForeignKey(Connection, null=True, on_delete=models.SET_NULL, related_name="+")
    status = models.CharField(max_length=12)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    asked_at = models.DateTimeField(db_index=True)
    newest = models.BooleanField(default=True, help_text="The newest run of its question")
    words = models.TextField()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "newest", "-asked_at"], name="own_questions_newest_first"),
            models.Index(fields=["connection", "-asked_at"], name="questions_of_a_connection"),
        ]

    def __str__(self) -> str:
        return self.words[:80]


class SavedFilter(models.Model):
    """A filter of the list of questions under a name; `query` is the address behind the question mark."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_filters")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=500)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_filter_per_name")]

    def __str__(self) -> str:
        return self.name
