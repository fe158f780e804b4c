"""A language model as an administrator sets it up."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


class LanguageModel(models.Model):
    """A stored model profile; `services` turns it into the frozen `agents.llm.messages.ModelProfile`."""

    class Size(models.TextChoices):
        CAPABLE = "capable", "Capable (composes operations itself)"
        SMALL = "small", "Small (drafts SQL that is lifted)"

    name = models.CharField(max_length=100, unique=True)
    model = models.CharField(max_length=200, help_text="litellm model id, for example openai/gpt-5")
    api_base = models.CharField("API base", max_length=300, blank=True, help_text="Empty: the provider's own")
    key_encrypted = models.BinaryField(blank=True, default=b"", editable=False)
    temperature = models.FloatField(null=True, blank=True)
    max_output_tokens = models.PositiveIntegerField(default=4096)
    context_tokens = models.PositiveIntegerField(default=128_000)
    size = models.CharField(max_length=8, choices=Size.choices, default=Size.CAPABLE)
    price_input = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, help_text="US dollars per million tokens"
    )
    price_cached = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_output = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    is_default = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    max_concurrent = models.PositiveIntegerField(
        "calls at a time", default=32, help_text="Of one worker; further calls wait"
    )
    timeout_seconds = models.PositiveIntegerField(default=120, help_text="Without a word until a call is given up")
    constrained = models.CharField(
        "replies kept to", max_length=16, blank=True, choices=[
            ("json_schema", "A JSON schema as response_format (OpenAI, llama.cpp, Ollama)"),
            ("guided_json", "A JSON schema as guided_json (vLLM)"),
        ], help_text="So that a weak model cannot name what does not exist; empty: the server cannot do that",
    )  # fmt: skip
    samples = models.PositiveSmallIntegerField(
        "drafts that vote", default=1, validators=[MinValueValidator(1), MaxValueValidator(9)],
        help_text="Where SQL is drafted (lift, reforce): 3 make a small model right more often; 1: no vote",
    )  # fmt: skip
    fallback = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+",
        help_text="Answers instead when this one cannot be reached, is asked too often or refuses its key",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        parts = urlsplit(self.api_base)
        if self.api_base and (parts.scheme not in ("http", "https") or not parts.netloc):
            raise ValidationError({"api_base": "Write an address such as http://127.0.0.1:11434/v1."})
        if self.fallback_id is not None and self.fallback_id == self.pk:
            raise ValidationError({"fallback": "A model cannot stand in for itself."})
