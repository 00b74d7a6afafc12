"""Providers: where models live, with which key, and at what price."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Credential(models.Model):
    """A key, encrypted. The value is written by ``services.credentials`` and never shown again."""

    slug = models.SlugField(_("credential id"), primary_key=True, max_length=64)
    token = models.BinaryField(_("encrypted value"), editable=False)
    last_four = models.CharField(_("last four"), max_length=4, blank=True, editable=False)
    fingerprint = models.CharField(_("fingerprint"), max_length=16, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("credential")
        verbose_name_plural = _("credentials")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Provider(models.Model):
    """An upstream that answers model calls."""

    class Type(models.TextChoices):
        MOCK = "mock", _("Mock (offline)")
        OPENAI_CHAT = "openai_chat", _("OpenAI chat completions, or compatible")
        OPENAI_RESPONSES = "openai_responses", _("OpenAI responses")
        ANTHROPIC = "anthropic", _("Anthropic messages")
        OLLAMA = "ollama", _("Ollama")

    slug = models.SlugField(_("provider id"), primary_key=True, max_length=64)
    provider_type = models.CharField(_("type"), max_length=32, choices=Type.choices)
    name = models.CharField(_("name"), max_length=100)
    # Not a URLField, which refuses hosts without a dot: `http://ollama:11434` is one among containers.
    base_url = models.CharField(_("base URL"), blank=True, max_length=500)
    default_model = models.CharField(_("default model"), max_length=200, blank=True)
    credential = models.ForeignKey(
        Credential,
        verbose_name=_("credential"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="providers",
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    timeout_s = models.FloatField(_("timeout (seconds)"), null=True, blank=True)
    options = models.JSONField(_("options"), default=dict, blank=True)
    # Corrects what is known of its models: fields of ``providers.profile.ModelProfile``.
    profile = models.JSONField(_("profile"), default=dict, blank=True)
    # Stored lists with their age: no page calls a provider while it renders.
    models_found = models.JSONField(_("models found"), default=list, blank=True, editable=False)
    models_found_at = models.DateTimeField(_("models found at"), null=True, editable=False)
    status = models.JSONField(_("last test"), default=dict, blank=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    class Meta:
        verbose_name = _("provider")
        verbose_name_plural = _("providers")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class ModelPrice(models.Model):
    """A price that overrides the shipped ones from a day on, entered per million tokens."""

    provider = models.ForeignKey(Provider, verbose_name=_("provider"), on_delete=models.CASCADE, related_name="prices")
    model = models.CharField(_("model"), max_length=200)
    currency = models.CharField(_("currency"), max_length=3, default="USD")
    input_per_mtok = models.DecimalField(_("input, per million tokens"), max_digits=14, decimal_places=6)
    output_per_mtok = models.DecimalField(_("output, per million tokens"), max_digits=14, decimal_places=6)
    cached_input_per_mtok = models.DecimalField(
        _("cached input, per million tokens"), max_digits=14, decimal_places=6, null=True, blank=True
    )
    cache_write_per_mtok = models.DecimalField(
        _("cache write, per million tokens"), max_digits=14, decimal_places=6, null=True, blank=True
    )
    valid_from = models.DateTimeField(_("valid from"))

    class Meta:
        verbose_name = _("model price")
        verbose_name_plural = _("model prices")
        ordering = ["provider", "model", "-valid_from"]
        constraints = [
            models.UniqueConstraint(fields=["provider", "model", "valid_from"], name="model_price_once_a_moment")
        ]

    def __str__(self) -> str:
        return f"{self.provider_id}/{self.model}"


class ModelPriceTier(models.Model):
    """What a price is for a call whose input is longer: it counts for the whole call, not for what exceeds."""

    price = models.ForeignKey(ModelPrice, verbose_name=_("model price"), on_delete=models.CASCADE, related_name="tiers")
    above_input_tokens = models.PositiveIntegerField(_("above input tokens"))
    input_per_mtok = models.DecimalField(_("input, per million tokens"), max_digits=14, decimal_places=6)
    output_per_mtok = models.DecimalField(_("output, per million tokens"), max_digits=14, decimal_places=6)
    cached_input_per_mtok = models.DecimalField(
        _("cached input, per million tokens"), max_digits=14, decimal_places=6, null=True, blank=True
    )
    cache_write_per_mtok = models.DecimalField(
        _("cache write, per million tokens"), max_digits=14, decimal_places=6, null=True, blank=True
    )

    class Meta:
        verbose_name = _("price tier")
        verbose_name_plural = _("price tiers")
        ordering = ["price", "above_input_tokens"]
        constraints = [models.UniqueConstraint(fields=["price", "above_input_tokens"], name="model_price_tier_once")]

    def __str__(self) -> str:
        return f"{self.price} > {self.above_input_tokens}"
