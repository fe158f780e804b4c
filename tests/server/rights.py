"""Who may open what: one line a route. A route of the URL map without a line fails tests/server/test_rights.py.

To add a route: one line in `ROUTES` (its name, its methods, its policy); a new kind of URL parameter also needs a line
in `Place.parameters`. To add an admin page: one line in `ADMIN_MODELS`, and an object for it in `furnish`.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import Group
from django.utils import timezone

from agents.models import (
    Cap,
    Collection,
    Comment,
    Evaluation,
    LanguageModel,
    Notice,
    RegressionQuestion,
    Run,
    SavedFilter,
    SavedQuestion,
    Share,
    Status,
    UsageEntry,
)
from connections.access import hash_of
from connections.models import (
    ApiToken,
    AuditEntry,
    Connection,
    ConnectionGrant,
    Invitation,
    Kind,
    Membership,
    QueryLogEntry,
    Role,
    Team,
    User,
)
from tests.web import stories
from tests.web.measured import measured

# The owner asked; viewer, analyst and manager are team mates; `other` manages another team; `link` is in no team and
# opened the link to the run; `clerk` is staff without rights; `root` is a superuser of no team.
PEOPLE = ("owner", "viewer", "analyst", "manager", "other", "link", "anonymous", "clerk", "root")
MATES = ("viewer", "analyst", "manager")
NOBODY = ("anonymous",)

# What can happen: the page is given, it does not exist for this person, they are asked to log in, they are refused.
IN, HIDDEN, LOGIN, REFUSED = "in", "hidden", "login", "refused"

Policy = Mapping[str, str]
HOUR = timedelta(hours=1)
ANY = "any"  # of a page of Django's own: which methods it takes is not asked


def policy(*allowed: str, others: str = HIDDEN, nobody: str = LOGIN) -> Policy:
    """`allowed` get in; people who are logged in otherwise meet `others`, everybody else `nobody`."""
    return {person: IN if person in allowed else nobody if person in NOBODY else others for person in PEOPLE}


EVERYONE = policy(*PEOPLE)
PERSONS = policy(*(person for person in PEOPLE if person not in NOBODY))
OWNER = policy("owner")
CATALOGUE = policy("owner", *MATES, "root")
SETTING_UP = policy("root")
READERS = policy("owner", "link")
STREAM = policy("owner", "link", nobody=REFUSED)
KEEPERS = policy("owner", "manager")
MANAGERS, MANAGER = policy("manager", "other"), policy("manager")
TEAM_AND_ROOT, MANAGER_AND_ROOT = policy("owner", *MATES, "root"), policy("manager", "root")
TOKEN = policy(others=LOGIN)
KEPT_LINK = "a-link-that-was-kept"
SUPERUSER = policy("root", "clerk", others=LOGIN) | {"clerk": REFUSED}
STAFF = policy("root", "clerk", others=LOGIN)
NO_STAFF_PAGE = policy(others=LOGIN) | {"root": HIDDEN, "clerk": HIDDEN}
NEVER = policy(others=LOGIN) | {"root": REFUSED, "clerk": REFUSED}


@dataclass(frozen=True)
class Line:
    methods: str
    policy: Policy
    query: str = ""


ROUTES: Mapping[str, Line] = {
    # machines
    "healthz": Line("GET", EVERYONE),
    "readyz": Line("GET", EVERYONE),
    "metrics": Line("GET", EVERYONE),  # of this machine, which the test is on
    # logging in
    "login": Line(ANY, EVERYONE),
    "logout": Line("POST", EVERYONE),
    "password_change": Line(ANY, PERSONS),
    # asking
    "home": Line("GET", PERSONS),
    "ask": Line("POST", PERSONS),
    "history": Line("GET POST", PERSONS),
    "save_filter": Line("POST", PERSONS),
    "delete_filter": Line("POST", OWNER),
    "thread": Line("GET", OWNER),
    "follow_up": Line("POST", OWNER),
    "run": Line("GET", READERS),
    "turns": Line("GET", READERS),
    "step_rows": Line("GET", READERS),
    "stream": Line("GET", STREAM),
    "stop": Line("POST", OWNER),
    "ask_again": Line("POST", OWNER),
    "export": Line("GET", READERS),
    "export_all": Line("GET", OWNER),
    "beside": Line("GET", OWNER),
    "trace": Line("GET", READERS),
    "trace_json": Line("GET", OWNER),
    "prompt": Line("GET", OWNER),
    "open_sql": Line("GET POST", PERSONS),
    "check_step": Line("POST", OWNER),
    "run_step": Line("POST", OWNER),
    "rerun": Line("POST", OWNER),
    "share": Line("GET POST", OWNER),
    "revoke_share": Line("POST", OWNER),
    "open_link": Line("GET", PERSONS),
    "ask_for_access": Line("POST", READERS),
    "judge": Line("POST", READERS),
    "verify": Line("POST", policy()),  # managers see a run once it has a verdict: tests/web/test_feedback.py
    "add_to_regression_set": Line("POST", policy()),  # the same
    "comment": Line("POST", READERS),
    "delete_comment": Line("POST", OWNER),
    "notices": Line("GET POST", PERSONS),
    "notice": Line("GET", OWNER),
    "usage": Line("GET", PERSONS),
    "save": Line("GET POST", OWNER),
    "collections": Line("GET POST", PERSONS),
    "collection": Line("GET", policy("owner", *MATES)),
    "add_question": Line("GET", policy("owner", "analyst", "manager")),
    "delete_collection": Line("POST", KEEPERS),
    "saved": Line("GET", policy("owner", *MATES)),
    "run_saved": Line("POST", policy("owner", "analyst", "manager")),
    "schedule": Line("POST", KEEPERS),
    "delete_saved": Line("POST", KEEPERS),
    "review": Line("GET POST", MANAGERS),
    "review_export": Line("GET", MANAGERS),
    "evaluations": Line("GET", MANAGERS),
    "start_evaluation": Line("GET POST", MANAGERS),
    "evaluation": Line("GET", MANAGER),
    "evaluation_progress": Line("GET", MANAGER),
    "evaluation_report": Line("GET", MANAGER),
    "evaluation_case": Line("GET", MANAGER),
    "stop_evaluation": Line("POST", MANAGER),
    "continue_evaluation": Line("POST", MANAGER),
    "delete_evaluation": Line("POST", MANAGER),
    # connections and the person
    "connections": Line("GET", PERSONS),
    "schema": Line("GET", CATALOGUE),
    "connection_refreshing": Line("GET", CATALOGUE),
    "connection_note": Line("POST", policy("manager", "root")),
    "connection_add": Line("GET POST", SETTING_UP),
    "connection_edit": Line("GET POST", SETTING_UP),
    "connection_test": Line("GET POST", SETTING_UP),
    "connection_refresh": Line("POST", SETTING_UP),
    "connection_remove": Line("POST", SETTING_UP),
    "settings": Line("GET POST", PERSONS),
    "theme": Line("POST", PERSONS),
    "teams": Line("GET", PERSONS),
    "team": Line("GET", TEAM_AND_ROOT),
    "invite": Line("POST", MANAGER_AND_ROOT),
    "member": Line("POST", MANAGER_AND_ROOT),  # everybody may also take themselves out
    "withdraw_invitation": Line("POST", MANAGER_AND_ROOT),
    "invitation": Line("GET POST", EVERYONE),
    "tokens": Line("GET POST", PERSONS),
    "revoke_token": Line("POST", OWNER),
    # programs: a login opens nothing, a token does (tests/server/test_api.py)
    "api_page": Line("GET", EVERYONE),
    "api:openapi-json": Line(ANY, EVERYONE),
    "api:api-root": Line(ANY, policy(nobody=HIDDEN)),
    "api:connections": Line("GET", TOKEN),
    "api:tables": Line("GET", TOKEN),
    "api:ask": Line("POST", TOKEN),
    "api:fetch": Line("GET", TOKEN),
    "api:rows": Line("GET", TOKEN),
    "api:rerun": Line("POST", TOKEN),
    "api:cancel": Line("POST", TOKEN),
    "api:follow": Line("GET", TOKEN),
    # administration, beside the pages of models
    "admin:index": Line("GET", STAFF),
    "admin:login": Line("GET POST", EVERYONE),
    "admin:logout": Line(ANY, EVERYONE),
    "admin:password_change": Line("GET POST", STAFF),
    "admin:password_change_done": Line("GET", STAFF),
    "admin:autocomplete": Line("GET", SUPERUSER, "app_label=connections&model_name=membership&field_name=team&term="),
    "admin:jsi18n": Line("GET", STAFF),
    "admin:view_on_site": Line("GET", NO_STAFF_PAGE),
    "admin:app_list": Line("GET", SUPERUSER | {"clerk": HIDDEN}),
    "admin:(?P<url>.*)$": Line("GET", NO_STAFF_PAGE),
    "admin:auth_user_password_change": Line("GET POST", SUPERUSER),
    "admin:languagemodel_test": Line("POST", SUPERUSER),
    "admin:connections_auditentry_export": Line("GET", SUPERUSER),
    "admin:connections_querylogentry_export": Line("GET", SUPERUSER),
}

# What a superuser may do with the model in the admin, out of: add, change, delete, look. Nobody else may anything.
ALL, LOOK = "add change delete look", "look"
ADMIN_MODELS: Mapping[str, str] = {
    "auth_group": ALL,
    "connections_user": ALL,
    "connections_team": ALL,
    "connections_connection": ALL,
    "connections_querylogentry": LOOK,
    "connections_auditentry": LOOK,
    "agents_languagemodel": ALL,
    "agents_regressionquestion": "change delete look",
    "agents_run": LOOK,
    "agents_cap": ALL,
    "agents_usageentry": LOOK,
    "axes_accessattempt": "delete look",
    "axes_accesslog": "delete look",
    "axes_accessfailurelog": "delete look",
}


@dataclass(frozen=True)
class Place:
    """Everything there is to open, and who wants to."""

    people: Mapping[str, User]
    run: Run
    other: Run
    connection: Connection
    share: Share
    evaluation: Evaluation

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The value of a URL parameter, by its name."""
        return {
            "run_id": self.run.pk, "other_id": self.other.pk, "thread_id": self.run.question.thread_id,
            "connection_id": self.connection.pk, "share_id": self.share.pk, "token": KEPT_LINK, "number": 2,
            "position": 3, "format": "csv", "kind": "csv", "comment_id": 1, "notice_id": 1, "filter_id": 1,
            "collection_id": 1, "saved_id": 1, "evaluation_id": self.evaluation.pk,
            "case_id": self.evaluation.systems.all()[0].cases.all()[0].pk,
            "user_id": self.people["owner"].pk, "team_id": Team.objects.get(name="Retail").pk, "invitation_id": 1,
            "token_id": 1, "pk": self.connection.pk, "id": self.people["owner"].pk, "content_type_id": 1,
            "url": "nowhere", "app_label": "connections",
        }  # fmt: skip


def furnish() -> Place:
    """An answered question of the owner's on a connection of the team's, and one object for every admin page."""
    people = {name: User.objects.create_user(name) for name in PEOPLE if name not in NOBODY}
    User.objects.filter(username__in=("clerk", "root")).update(is_staff=True)
    User.objects.filter(username="root").update(is_superuser=True)
    team, elsewhere = Team.objects.create(name="Retail"), Team.objects.create(name="Elsewhere")
    Membership.objects.create(team=team, user=people["owner"], role=Role.ANALYST)
    for name in MATES:
        Membership.objects.create(team=team, user=people[name], role=Role(name))
    Membership.objects.create(team=elsewhere, user=people["other"], role=Role.MANAGER)
    shop = Connection.objects.create(name="Shop", kind=Kind.SQLITE, database="shop.sqlite")
    ConnectionGrant.objects.create(team=team, connection=shop)
    run = stories.answered(people["owner"], shop)
    other = Run.objects.create(question=run.question, strategy="react", status=Status.ANSWERED)
    link = Share.objects.create(run=run, token_hash=hashlib.sha256(KEPT_LINK.encode()).hexdigest())
    link.readers.add(people["link"])
    Invitation.objects.create(pk=1, team=team, token_hash=hash_of(KEPT_LINK), expires_at=timezone.now() + HOUR)
    ApiToken.objects.create(pk=1, user=people["owner"], name="Notebook", token_hash="-")
    Comment.objects.create(pk=1, question=run.question, author=people["owner"], text="Without returns.")
    SavedFilter.objects.create(pk=1, user=people["owner"], name="Returns")
    Notice.objects.create(pk=1, user=people["owner"], kind=Notice.Kind.COMMENT, run=run)
    kept = Collection.objects.create(pk=1, team=team, name="Reports", created_by=people["owner"])
    SavedQuestion.objects.create(
        pk=1, collection=kept, title="Sales", connection=shop, program=stories.PROGRAM, owner=people["owner"]
    )
    _for_the_admin(shop, people["owner"])
    evaluation = measured(people["manager"], shop, questions=2)
    known = {name: User.objects.get(pk=user.pk) for name, user in people.items()}
    return Place(known, run, other, shop, link, evaluation)


def _for_the_admin(shop: Connection, owner: User) -> None:
    Cap.objects.create(scope=Cap.Scope.INSTANCE, amount=1_000_000)
    UsageEntry.objects.create(run_id=uuid.uuid4(), at=timezone.now(), user=owner, user_name="owner")
    Group.objects.create(name="Clerks")
    RegressionQuestion.objects.create(connection=shop, text="How many?")
    LanguageModel.objects.create(pk=shop.pk, name="Cloud", model="openai/x", api_base="http://127.0.0.1:1")
    QueryLogEntry.objects.create(connection_name="Shop", purpose="execute", sql="SELECT 1", user=owner)
    AuditEntry.objects.create(action="login", actor_name="owner")
    AccessAttempt.objects.create(username="mallory", attempt_time=timezone.now(), failures_since_start=1)
    AccessLog.objects.create(username="owner", attempt_time=timezone.now())
    AccessFailureLog.objects.create(username="owner", attempt_time=timezone.now())
