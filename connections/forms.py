"""What people may change: about themselves, and, with the right, about connections and what the model is told."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.validators import ProhibitNullCharactersValidator

from connections.crypto import Secret
from connections.models import FILE_KINDS, Connection, Kind, Team, User
from connections.password_place import PASSWORD_ANEW, goes_elsewhere
from connections.row_keys import DIGITS


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the checker only
    class Meta:
        model = User
        fields: ClassVar = ["theme", "time_zone", "shortcuts"]


class ThemeForm(forms.Form):
    theme = forms.ChoiceField(choices=[("light", "Light"), ("dark", "Dark"), ("system", "As the system")])


class SecretField(forms.CharField):
    """A secret that can be typed and never comes back. Left empty, the stored one stays."""

    def __init__(self, **options: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "new-password"}, render_value=False)
        options.setdefault("help_text", "Stored encrypted and never shown. Leave empty to keep the stored one.")
        super().__init__(required=False, strip=False, widget=widget, **options)

    def to_python(self, value: Any) -> Secret:
        return Secret(super().to_python(value) or "")


class NamesField(forms.Field):
    """A list of names, typed with commas or one a line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, widget=forms.TextInput, **options)

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        text = str(value or "")
        ProhibitNullCharactersValidator()(text)
        return list(dict.fromkeys(name.strip() for name in text.replace("\n", ",").split(",") if name.strip()))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.to_python(self.prepare_value(initial)) != self.to_python(data)


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # generic for the checker only
    """Several rows by their keys."""

    def clean(self, value: Any) -> Any:
        for key in value or ():
            if len(str(key)) > DIGITS:
                raise forms.ValidationError(self.error_messages["invalid_choice"], "invalid_choice", {"value": key})
        return super().clean(value)


class PasswordForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the checker only
    """A connection with its password. The stored one is typed anew where it would go to another place."""

    password = SecretField()
    forget_password = forms.BooleanField(required=False, help_text="Delete the stored password")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        kept = not (values.get("password") or values.get("forget_password"))
        if kept and "password" in values and goes_elsewhere(self.instance, values):
            self.add_error("password", PASSWORD_ANEW)
        return values


class ConnectionForm(PasswordForm):
    """With its teams. `secret` is what the service takes for the password."""

    schemas = NamesField(help_text="Names with commas between; empty for all.")
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.label) for kind in (Kind.POSTGRESQL, Kind.MYSQL, Kind.DUCKDB, Kind.SQLITE)]
    )
    teams = RowsField(
        Team.objects.order_by("name"), required=False, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = Connection
        fields: ClassVar = [
            "name", "kind", "host", "port", "database", "tls", "schemas", "username", "send_values", "notes",
            "max_seconds", "max_rows", "max_concurrent", "is_active",
        ]  # fmt: skip

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("kind") in FILE_KINDS:
            values |= {"host": "", "port": None, "username": ""}
        return values

    @property
    def secret(self) -> str | None:
        """What was typed, "" to delete the stored one, None to keep it."""
        return "" if self.cleaned_data["forget_password"] else self.cleaned_data["password"] or None


class LinesField(forms.CharField):
    """Lines with one sign between them, as the browser counts them; it sends two."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class NoteForm(forms.Form):
    """What the model is told about a table, or about one of its columns; empty takes it away."""

    table = forms.CharField(max_length=255)
    column = forms.CharField(max_length=255, required=False, strip=False)
    text = LinesField(
        max_length=4000, required=False,
        error_messages={"max_length": "It may have 4,000 characters, and has %(show_value)d."},
    )  # fmt: skip
