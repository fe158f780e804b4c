"""Teams as their managers run them: invite, accept, change a role, remove. Another team does not exist."""

from __future__ import annotations

from datetime import timedelta

import structlog
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from connections import audit, permissions
from connections.access import hash_of, new_token
from connections.models import Invitation, Membership, Role, Team, User

log = structlog.get_logger(__name__)

# --- Reads -----------------------------------------------------------------------------------------------------------


def team_to_see(user: User, team_id: int) -> Team:
    return permissions.visible_teams(user).get(pk=team_id)


def team_to_manage(user: User, team_id: int) -> Team:
    team = team_to_see(user, team_id)
    if not permissions.may_manage_team(user, team):
        raise Team.DoesNotExist
    return team


def open_invitations(team: Team) -> QuerySet[Invitation]:
    return Invitation.open.filter(team=team).select_related("invited_by").order_by("-created_at")


def invitation_behind(token: str) -> Invitation:
    """Raises Invitation.DoesNotExist for a link that was never made, was used or withdrawn, or has expired."""
    return Invitation.open.select_related("team", "invited_by").get(token_hash=hash_of(token))


# --- Writes ----------------------------------------------------------------------------------------------------------


def invite(*, actor: User, team: Team, role: str, email: str = "", days: int = 7) -> tuple[Invitation, str]:
    """An invitation and its token, which is told this once. Raises ValidationError."""
    _check_manager(actor, team)
    if email:
        validate_email(email)
    token = new_token()
    with transaction.atomic():
        made = Invitation.objects.create(
            team=team, email=email, role=_role(role), token_hash=hash_of(token), invited_by=actor,
            expires_at=timezone.now() + timedelta(days=days),
        )  # fmt: skip
        audit.record("invited", actor=actor, target=team, detail={"email": email, "role": role, "days": days})
    return made, token


def mail_is_set_up() -> bool:
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def send(invitation: Invitation, address: str) -> bool:
    """Mail the invitation; False where there is no mail server, or it did not take it."""
    if not (invitation.email and mail_is_set_up()):
        return False
    by = invitation.invited_by
    who = (by.get_full_name() or by.get_username()) if by else "A manager"
    end = f"{invitation.expires_at.day} {invitation.expires_at:%B %Y}"
    text = (
        f"{who} invites you to the team {invitation.team} of ReAct-SQL.\n\n{address}\n\n"
        f"The link works once, until {end}. If you did not expect it, do nothing."
    )
    try:
        sent = send_mail(f"Join {invitation.team} on ReAct-SQL", text, None, [invitation.email])
    except OSError as error:
        log.warning("invitation not mailed", error=str(error))
        return False
    return bool(sent)


def withdraw(*, actor: User, team: Team, invitation_id: int) -> None:
    _check_manager(actor, team)
    with transaction.atomic():
        if not open_invitations(team).filter(pk=invitation_id).update(revoked_at=timezone.now()):
            raise Invitation.DoesNotExist
        audit.record("invitation withdrawn", actor=actor, target=team, detail={"invitation": invitation_id})


def accept(*, user: User, token: str) -> Team:
    """`user` joins; whoever is in the team already keeps the role. Raises Invitation.DoesNotExist."""
    invitation = invitation_behind(token)
    with transaction.atomic():
        # Of two who use the link at once, one changes the row.
        mine = Invitation.open.filter(pk=invitation.pk).update(accepted_at=timezone.now(), accepted_by=user)
        if not mine:
            raise Invitation.DoesNotExist
        membership, _ = Membership.objects.get_or_create(
            team=invitation.team, user=user, defaults={"role": invitation.role}
        )
        audit.record("joined", actor=user, target=invitation.team, detail={"role": str(membership.role)})
    return invitation.team


def change_role(*, actor: User, team: Team, user_id: int, role: str) -> None:
    _check_manager(actor, team)
    with transaction.atomic():
        membership = _member(team, user_id)
        if role != Role.MANAGER:
            _check_not_last(membership)
        membership.role = _role(role)
        membership.save(update_fields=["role"])
        detail = {"user": membership.user.username, "role": role}
        audit.record("role changed", actor=actor, target=team, detail=detail)


def remove(*, actor: User, team: Team, user_id: int) -> None:
    """A manager removes anybody; everybody may leave."""
    if user_id != actor.pk:
        _check_manager(actor, team)
    with transaction.atomic():
        membership = _member(team, user_id)
        _check_not_last(membership)
        membership.delete()
        audit.record("membership removed", actor=actor, target=team, detail={"user": membership.user.username})


def _check_manager(actor: User, team: Team) -> None:
    if not permissions.may_manage_team(actor, team):
        raise Team.DoesNotExist


def _member(team: Team, user_id: int) -> Membership:
    """Locked with the team's other members, so that the last two managers cannot leave at once."""
    members = team.memberships.select_for_update().order_by("pk")
    return next((one for one in members if one.user_id == user_id), None) or team.memberships.get(user_id=user_id)


def _check_not_last(membership: Membership) -> None:
    managers = membership.team.memberships.filter(role=Role.MANAGER)
    if membership.role == Role.MANAGER and not managers.exclude(pk=membership.pk).exists():
        raise ValidationError("A team needs a manager: make somebody else one first.", code="last_manager")


def _role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError as error:
        raise ValidationError("Choose viewer, analyst or manager.", code="role") from error
