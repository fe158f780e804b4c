"""May this user…? The only place where rights on teams and connections are decided.

Rights come from teams: a person sees what is granted to a team of theirs, and asks as an analyst or manager of it.
Setting connections up is for staff, in the admin.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from connections.models import Connection, Role, Team, User

ASKING = (Role.ANALYST, Role.MANAGER)


def visible_connections(user: User) -> QuerySet[Connection]:
    return _granted(user, tuple(Role))


def askable_connections(user: User) -> QuerySet[Connection]:
    return _granted(user, ASKING)


def may_see_connection(user: User, connection: Connection) -> bool:
    return visible_connections(user).filter(pk=connection.pk).exists()


def may_ask(user: User, connection: Connection) -> bool:
    return askable_connections(user).filter(pk=connection.pk).exists()


def people_who_may_ask(connection: Connection) -> QuerySet[User]:
    asking = Q(memberships__role__in=ASKING, memberships__team__connections=connection)
    return User.objects.filter(asking, is_active=True).distinct() if connection.is_active else User.objects.none()


def asking_team(user: User, connection: Connection) -> Team | None:
    """The team through which `user` asks: the first by name, where there are several."""
    teams = Team.objects.filter(connectiongrant__connection=connection, memberships__user=user,
                                memberships__role__in=ASKING)  # fmt: skip
    return teams.order_by("name").first()


def may_manage_connections(user: User) -> bool:
    """Create, change and test connections: staff with the admin's right to change them."""
    return user.is_active and user.is_staff and user.has_perm("connections.change_connection")


def manageable_connections(user: User) -> QuerySet[Connection]:
    """All of them, also those that are switched off or granted to nobody, or none."""
    return Connection.objects.all() if may_manage_connections(user) else Connection.objects.none()


def may_write_notes(user: User, connection: Connection) -> bool:
    """What the model is told about tables: whoever sets connections up, and managers of a team that may ask it."""
    managed = _granted(user, (Role.MANAGER,)).filter(pk=connection.pk)
    return may_manage_connections(user) or managed.exists()


def visible_teams(user: User) -> QuerySet[Team]:
    """One's own; for staff with the admin's right to change teams, all."""
    if not user.is_active:
        return Team.objects.none()
    return Team.objects.all() if _runs_teams(user) else Team.objects.filter(memberships__user=user)


def may_manage_team(user: User, team: Team) -> bool:
    """Invite, change roles, remove: its managers, and staff with the admin's right to change teams."""
    return user.is_active and (
        _runs_teams(user) or team.memberships.filter(user=user, role=Role.MANAGER).exists()
    )


def _runs_teams(user: User) -> bool:
    return user.is_staff and user.has_perm("connections.change_team")


def _granted(user: User, roles: tuple[Role, ...]) -> QuerySet[Connection]:
    if not user.is_active:
        return Connection.objects.none()
    teams = Team.objects.filter(memberships__user=user, memberships__role__in=roles)
    return Connection.objects.filter(is_active=True, grants__team__in=teams).distinct()
