"""What every template can see of the site."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    return {"site_url": settings.SITE_URL, "oidc_name": settings.OIDC_NAME if settings.OIDC_SERVER_URL else ""}
