"""Time zones by their IANA names."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.core.exceptions import ValidationError

UTC = ZoneInfo("UTC")


def check_name(name: str) -> None:
    """Raises ValidationError for what is no time zone here."""
    if name not in available_timezones():
        raise ValidationError(f"{name} is no time zone. Choose one of the list, like Europe/Berlin.", code="zone")


def zone_named(name: str) -> ZoneInfo:
    """UTC where there is none of that name, or not any more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones, such as Europe
        return UTC
