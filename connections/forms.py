"""What people may change about themselves."""

from __future__ import annotations

from typing import ClassVar
from zoneinfo import available_timezones

from django import forms

from connections.models import User


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the checker only
    class Meta:
        model = User
        fields: ClassVar = ["theme", "time_zone", "shortcuts"]

    def clean_time_zone(self) -> str:
        zone: str = self.cleaned_data["time_zone"]
        if zone not in available_timezones():
            raise forms.ValidationError(f"{zone} is no time zone. Choose one of the list, like Europe/Berlin.")
        return zone


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=[("light", "Light"), ("dark", "Dark"), ("system", "As the system")])
