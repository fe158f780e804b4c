"""People, teams, and the databases that teams may ask."""

from __future__ import annotations

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from connections import time_zones
from connections.access import ApiToken, Invitation
from connections.append_only import AppendOnly
from connections.roles import Role

__all__ = [
    "FILE_KINDS", "ApiToken", "AuditEntry", "CatalogueNote", "CatalogueSnapshot", "Connection", "ConnectionGrant",
    "Invitation", "Kind", "LogCutoff", "Membership", "QueryLogEntry", "Role", "TLS", "Team", "User",
]  # fmt: skip

# After so long without a word, a refresh is taken for dead.
STALLED = timedelta(minutes=10)


class User(AbstractUser):
    """A person. `theme` is what the page's `data-theme` gets ("" follows the system)."""

    must_change_password = models.BooleanField(default=False)
    theme = models.CharField(max_length=5, blank=True, choices=[("light", "Light"), ("dark", "Dark")])
    time_zone = models.CharField(max_length=64, default="UTC", validators=[time_zones.check_name])
    shortcuts = models.BooleanField(default=True, help_text="Single-key shortcuts")

    @property
    def zone(self) -> ZoneInfo:
        return time_zones.zone_named(self.time_zone)


class Team(models.Model):
    name = models.CharField(max_length=100, unique=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.ANALYST)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_role_per_member")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} as {self.role}"


class Kind(models.TextChoices):
    SQLITE = "sqlite", "SQLite"
    DUCKDB = "duckdb", "DuckDB"
    POSTGRESQL = "postgresql", "PostgreSQL"
    MYSQL = "mysql", "MySQL or MariaDB"


FILE_KINDS = (Kind.SQLITE, Kind.DUCKDB)


class TLS(models.TextChoices):
    OFF = "disable", "Off"
    PREFER = "prefer", "When the server offers it"
    REQUIRE = "require", "Required"
    VERIFY = "verify-full", "Required, certificate checked"


class Connection(models.Model):
    """One customer database. The password is only ever stored encrypted (crypto.py) and never read back by a form."""

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    host = models.CharField(max_length=255, blank=True)
    port = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(65535)]
    )
    database = models.CharField(max_length=500, help_text="Database name, or the file inside the data folder")
    username = models.CharField(max_length=255, blank=True)
    password_encrypted = models.BinaryField(blank=True, default=b"", editable=False)
    tls = models.CharField("TLS", max_length=12, choices=TLS.choices, default=TLS.PREFER)
    schemas = models.JSONField(default=list, blank=True, help_text="Schemas to use; empty means all")
    notes = models.TextField(blank=True, help_text="What the model should know about this database")
    send_values = models.BooleanField(default=True, help_text="Results may be sent to the model")
    max_seconds = models.PositiveIntegerField(default=60, validators=[MinValueValidator(1)])
    max_rows = models.PositiveIntegerField(default=10_000, validators=[MinValueValidator(1)])
    max_concurrent = models.PositiveIntegerField(default=4, validators=[MinValueValidator(1)])
    is_active = models.BooleanField(default=True)
    is_demo = models.BooleanField(default=False)
    teams = models.ManyToManyField(Team, through="ConnectionGrant", related_name="connections")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.kind not in FILE_KINDS and not self.host:
            raise ValidationError({"host": f"{self.get_kind_display()} is reached over the network: name its host."})
        if not isinstance(self.schemas, list) or not all(isinstance(schema, str) for schema in self.schemas):
            raise ValidationError({"schemas": 'Write a list of names, for example ["public", "sales"].'})


class ConnectionGrant(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="grants")
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "connection"], name="one_grant_per_team")]

    def __str__(self) -> str:
        return f"{self.connection} for {self.team}"


class CatalogueNote(models.Model):
    """A glossary entry for the model: about a table, or about one of its columns."""

    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="catalogue_notes")
    table = models.CharField(max_length=255)
    column = models.CharField(max_length=255, blank=True)
    text = models.TextField()
    changed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "table", "column"], name="one_note_per_name"),
        ]

    def __str__(self) -> str:
        return f"{self.table}.{self.column}" if self.column else self.table


class CatalogueSnapshot(models.Model):
    """The newest catalogue of a connection; its tables are rows of their own, so that a page reads only what it shows.

    `changes` is what the last refresh that found another catalogue found (`Difference.to_json()`), at `changed_at`.
    """

    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="snapshot")
    fingerprint = models.CharField(max_length=16)
    default_schema = models.CharField(max_length=255, null=True)  # noqa: DJ001  (None: the dialect has no schemas)
    server_version = models.CharField(max_length=255, blank=True)
    warnings = models.JSONField(default=list)
    changes = models.JSONField(default=dict)
    changed_at = models.DateTimeField(null=True)
    table_count = models.PositiveIntegerField()
    column_count = models.PositiveIntegerField()
    seconds = models.FloatField(default=0, help_text="How long reading took")
    taken_at = models.DateTimeField()

    @property
    def server(self) -> str:
        """PostgreSQL 16, MariaDB 10.11; a file is read by our own engine, whose version says nothing about it."""
        kind = Kind(self.connection.kind)
        version = re.match(r"\d+(\.\d+)?", self.server_version)
        if kind in FILE_KINDS or version is None:
            return str(kind.label)
        if kind == Kind.POSTGRESQL:
            return f"{kind.label} {version[0].partition('.')[0]}"
        return f"{'MariaDB' if 'mariadb' in self.server_version.lower() else 'MySQL'} {version[0]}"

    def __str__(self) -> str:
        return f"{self.connection} at {self.taken_at:%Y-%m-%d %H:%M}"


class CatalogueTable(models.Model):
    """One table of a snapshot: `data` is `table_to_json`, `qualified` and `words` are folded texts to search in."""

    snapshot = models.ForeignKey(CatalogueSnapshot, on_delete=models.CASCADE, related_name="tables")
    position = models.PositiveIntegerField()
    schema = models.CharField(max_length=255, blank=True)
    name = models.CharField(max_length=255)
    kind = models.CharField(max_length=20)
    column_count = models.PositiveIntegerField()
    row_estimate = models.BigIntegerField(null=True)
    qualified = models.CharField(max_length=511)
    words = models.TextField()
    data = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "position"], name="one_table_per_position")]

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


class RefreshState(models.TextChoices):
    WAITING = "waiting", "Waiting for a worker"
    READING = "reading", "Reading"
    DONE = "done", "Read"
    FAILED = "failed", "Failed"


class CatalogueRefresh(models.Model):
    """How the newest refresh of a connection stands; `text` is what is being read, or why it failed."""

    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="refresh")
    state = models.CharField(max_length=8, choices=RefreshState.choices)
    text = models.TextField(blank=True)
    asked_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    asked_at = models.DateTimeField()
    moved_at = models.DateTimeField()

    @property
    def is_live(self) -> bool:
        """Whether something is still going to happen: a worker that died leaves the state as it was."""
        still = self.state in (RefreshState.WAITING, RefreshState.READING)
        return still and timezone.now() - self.moved_at < STALLED

    def __str__(self) -> str:
        return f"{self.connection}: {self.get_state_display()}"


class LogCutoff(models.Model):
    """The one row that the logs' triggers look at: entries before this moment may be deleted. NULL but for the moment
    in which retention works."""

    before = models.DateTimeField(null=True)


class QueryLogEntry(AppendOnly):
    """One statement that went through the door. Who and where stay readable when the person or connection is gone."""

    connection = models.ForeignKey(
        Connection, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="query_log"
    )
    connection_name = models.CharField(max_length=100)
    user = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    user_name = models.CharField(max_length=150, blank=True)
    run_id = models.UUIDField(null=True, db_index=True)
    purpose = models.CharField(max_length=20)
    sql = models.TextField()
    rows = models.PositiveIntegerField(default=0)
    ms = models.FloatField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "query log"

    def __str__(self) -> str:
        return f"{self.connection_name} {self.purpose} {self.at:%Y-%m-%d %H:%M:%S}"


class AuditEntry(AppendOnly):
    """Who did what to what; only ever added to."""

    actor = models.ForeignKey(User, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    actor_name = models.CharField(max_length=150, blank=True)
    action = models.CharField(max_length=50, db_index=True)
    object_type = models.CharField(max_length=50, blank=True)
    object_id = models.CharField(max_length=64, blank=True)
    object_name = models.CharField(max_length=255, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    address = models.GenericIPAddressField(null=True)

    class Meta:
        verbose_name_plural = "audit log"

    def __str__(self) -> str:
        return f"{self.actor_name} {self.action} {self.object_name}"
