"""What people may send. Length and rate are checked by the services, which own those limits."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from agents import permissions, selectors
from agents.evaluation.systems import VOTING
from agents.library.evaluating import SAMPLES, Choice
from agents.library.scheduling import zone_to_set
from agents.models import Cadence, LanguageModel, SavedQuestion
from agents.strategies import STRATEGIES
from connections import selectors as connection_selectors
from connections.forms import RowsField
from connections.models import Connection, Team, User
from connections.time_zones import check_name


class KeyField(forms.IntegerField):
    """The key of a row, as databases can look for it."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(required=required, min_value=1, max_value=2**63 - 1)


class QuestionForm(forms.Form):
    """A question typed into the composer, or a suggestion chosen from a list."""

    question = forms.CharField(required=False, strip=False)
    suggestion = forms.CharField(required=False)
    model = forms.ModelChoiceField(LanguageModel.objects.none(), required=False, empty_label=None)
    strategy = forms.ChoiceField(choices=[(name, name) for name in STRATEGIES], required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["model"].queryset = selectors.language_models()  # type: ignore[attr-defined]

    @property
    def text(self) -> str:
        text: str = self.cleaned_data["suggestion"] or self.cleaned_data["question"]
        return text

    @property
    def chosen_model(self) -> LanguageModel | None:
        chosen: LanguageModel | None = self.cleaned_data["model"]
        return chosen


class AskForm(QuestionForm):
    connection = forms.ModelChoiceField(
        Connection.objects.none(),
        error_messages={"invalid_choice": "This connection is not there, or not yours to ask."},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        self.fields["connection"].queryset = connection_selectors.connections_to_ask(user)  # type: ignore[attr-defined]


class HistoryForm(forms.Form):
    """The filters of the list of questions."""

    q = forms.CharField(required=False)
    show = forms.CharField(required=False)
    person = KeyField(required=False)
    team = KeyField(required=False)
    status = forms.CharField(required=False)
    connection = KeyField(required=False)
    verified = forms.BooleanField(required=False)
    cost = forms.DecimalField(required=False, min_value=0, max_digits=12)
    page = forms.IntegerField(required=False, min_value=1)


class ShareForm(forms.Form):
    """With whom, whether by a link, too, and for how many days (0: for ever)."""

    audience = forms.CharField(required=False, max_length=2000)
    link = forms.BooleanField(required=False)
    days = forms.TypedChoiceField(
        coerce=int, initial=30,
        choices=[(30, "Expires in 30 days"), (7, "Expires in 7 days"), (0, "Never expires")],
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not (cleaned.get("audience") or "").strip() and not cleaned.get("link"):
            self.add_error("audience", "Name a person or a team, or choose the link.")
        return cleaned


class FeedbackForm(forms.Form):
    """A verdict; an empty one takes it back."""

    verdict = forms.ChoiceField(choices=[("good", "Good"), ("bad", "Bad"), ("", "Take back")], required=False)
    reason = forms.CharField(required=False, max_length=20)
    text = forms.CharField(required=False)


class VerifyForm(forms.Form):
    note = forms.CharField(required=False, max_length=500)
    regression = forms.BooleanField(required=False)
    withdraw = forms.BooleanField(required=False)


class ReviewForm(forms.Form):
    """The filters of the review list."""

    done = forms.BooleanField(required=False)
    kind = forms.CharField(required=False)
    reason = forms.CharField(required=False, max_length=60)
    person = KeyField(required=False)
    connection = KeyField(required=False)
    model = forms.CharField(required=False)
    q = forms.CharField(required=False)
    page = forms.IntegerField(required=False, min_value=1)


class CollectionForm(forms.Form):
    team = KeyField()
    name = forms.CharField(required=False)
    description = forms.CharField(required=False)


class SaveForm(forms.Form):
    """Into which collection, or into a new one of a team ("team:7"), under which title."""

    place = forms.CharField(required=False)
    name = forms.CharField(required=False)
    title = forms.CharField(required=False)
    note = forms.CharField(required=False)


class ScheduleForm(forms.Form):
    cadence = forms.ChoiceField(choices=Cadence.choices, required=False)
    weekday = forms.IntegerField(required=False, min_value=0, max_value=6)
    day = forms.IntegerField(required=False, min_value=0, max_value=31)
    at = forms.TimeField(required=False)
    zone = forms.CharField(required=False, max_length=64, validators=[check_name])
    only_when_changed = forms.BooleanField(required=False)
    recipients = RowsField(User.objects.none(), required=False)

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["recipients"].queryset = team.members.filter(is_active=True)  # type: ignore[attr-defined]

    def clean_zone(self) -> ZoneInfo | None:
        return ZoneInfo(self.cleaned_data["zone"]) if self.cleaned_data["zone"] else None

    @classmethod
    def showing(cls, saved: SavedQuestion, user: User) -> ScheduleForm:
        """The form with the schedule as it is."""
        return cls(team=saved.collection.team, initial={
            "cadence": saved.cadence,
            "weekday": saved.day if saved.cadence == Cadence.WEEKLY else 0,
            "day": saved.day if saved.cadence == Cadence.MONTHLY else 1,
            "at": f"{saved.at:%H:%M}",
            "zone": zone_to_set(user, saved).key,
            "only_when_changed": saved.only_when_changed,
            "recipients": list(saved.recipients.values_list("pk", flat=True)),
        })  # fmt: skip

    @property
    def told(self) -> set[str]:
        """Keys of the people who are ticked, also where they were sent and refused."""
        return {str(key) for key in self["recipients"].value() or ()}


class StartEvaluationForm(forms.Form):
    """Which connection's regression set, asked by which strategies with which models; SITE is the environment's. Where
    drafts of a strategy can vote, each number of `samples` is a system of its own."""

    SITE = "site"

    connection = forms.ModelChoiceField(
        Connection.objects.none(), error_messages={"invalid_choice": "This connection is not yours to evaluate."}
    )
    strategy = forms.MultipleChoiceField(choices=[(name, name) for name in STRATEGIES], required=False)
    model = forms.MultipleChoiceField(required=False)
    samples = forms.TypedMultipleChoiceField(
        coerce=int, choices=[(str(number), str(number)) for number in SAMPLES], required=False, empty_value=[1]
    )
    name = forms.CharField(required=False, max_length=200)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.models = {str(one.pk): one for one in selectors.language_models()}
        self.fields["connection"].queryset = permissions.connections_to_evaluate(user)  # type: ignore[attr-defined]
        keys = list(self.models) or [self.SITE]
        self.fields["model"].choices = [(key, key) for key in keys]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> list[Choice]:
        """Every strategy with every model."""
        given = self.cleaned_data
        return [
            Choice(strategy, self.models.get(model), samples)
            for strategy in given["strategy"]
            for model in given["model"]
            for samples in (given["samples"] if strategy in VOTING else [1])
        ]


class EvaluationForm(forms.Form):
    """What is looked at on the page of an evaluation. Systems are keys; what cannot be read is left out."""

    plot = forms.ChoiceField(choices=[("cost", "Cost"), ("latency", "Latency")], required=False)
    before = KeyField(required=False)
    after = KeyField(required=False)
    way = forms.ChoiceField(choices=[("worse", "Worse"), ("better", "Better")], required=False)
    system = KeyField(required=False)
    outcome = forms.CharField(required=False)
    difficulty = forms.CharField(required=False)
    page = forms.IntegerField(required=False, min_value=1)
