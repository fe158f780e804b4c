"""Evaluations for the pages' pictures, and one that a browser starts itself."""

from __future__ import annotations

from typing import Any

from agents.models import EvaluationCase, RegressionQuestion
from connections.models import Connection, Membership, Role, Team, User
from tests.web import stories
from tests.web.measured import measured, with_trace


def shown(user: User, shop: Connection) -> dict[str, Any]:
    """Two evaluations of a connection that `user` manages; a case of the second has a trace."""
    measured(user, shop, questions=24, name="Shop regression, October")
    evaluation = measured(user, shop, questions=72, name="Shop regression, November")
    run = with_trace(evaluation, user)
    return {"evaluation": evaluation.pk, "case": EvaluationCase.objects.get(run=run).pk}


def to_start() -> dict[str, Any]:
    """Mona manages the team of the shop, of which three answers are known."""
    people = stories.cast()
    mona = User.objects.create_user("mona", password="mona's long password", first_name="Mona", last_name="Manager")
    Membership.objects.create(team=Team.objects.get(), user=mona, role=Role.MANAGER)
    golds = {
        "How many orders are there?": "SELECT count(*) FROM orders",
        "How many customers are there?": "SELECT count(*) FROM customers",
        "How many orders are paid?": "SELECT count(*) FROM orders WHERE status = 'paid'",
    }
    for text, gold in golds.items():
        RegressionQuestion.objects.create(connection=people.shop, text=text, gold_sql=gold)
    return {"connection": people.shop.pk}
