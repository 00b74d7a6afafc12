"""Prices in the admin: what a model costs from a moment on, for calls that happen after it."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.core.validators import MinValueValidator
from django.db.models import F, QuerySet, Window
from django.db.models.functions import Lead
from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.cells import NumberCell, cells_name
from agentcore.currencies import CODES
from agentcore.models import ModelPrice, ModelPriceTier
from agentcore.pricing import plain

RATES = ("input_per_mtok", "output_per_mtok", "cached_input_per_mtok", "cache_write_per_mtok")
AS_INPUT = {
    "cached_input_per_mtok": gettext_lazy("Empty: as input."),
    "cache_write_per_mtok": gettext_lazy("Empty: as input."),
}


def _not_below(least: int, field: forms.Field) -> None:
    field.validators.append(MinValueValidator(least))
    field.widget.attrs["min"] = least


class RatesForm(forms.ModelForm):
    """Rates are never negative, and shown without the zeros that the database adds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in RATES:
            if name in self.fields:
                _not_below(0, self.fields[name])
                stored = self.initial.get(name)
                self.initial[name] = plain(stored) if isinstance(stored, Decimal) else stored


class PriceForm(RatesForm):
    """Two prices of one model never begin at the same moment, so there is always one that counts."""

    class Meta:
        model = ModelPrice
        fields = ["provider", "model", "currency", *RATES, "valid_from"]
        help_texts = {
            "model": gettext_lazy("As the provider calls it, letter by letter."),
            "currency": gettext_lazy("Three letters, such as USD, EUR or CNY. Amounts are never converted."),
            **AS_INPUT,
            "valid_from": gettext_lazy(
                "It counts until the next price of the same model begins. What is on record keeps the price it had."
            ),
        }

    def clean_model(self) -> str:
        return str(self.cleaned_data["model"]).strip()

    def clean_currency(self) -> str:
        code = str(self.cleaned_data["currency"]).strip().upper()
        if code not in CODES:
            raise forms.ValidationError(_("There is no currency of that code. Use three letters, such as USD."))
        return code


class TierForm(RatesForm):
    """The rates of longer calls. A bound of zero would leave no call to the price itself."""

    class Meta:
        model = ModelPriceTier
        fields = ["above_input_tokens", *RATES]
        # Shorter than those of the price: they are the heads of a table.
        labels = {
            "input_per_mtok": gettext_lazy("Input"),
            "output_per_mtok": gettext_lazy("Output"),
            "cached_input_per_mtok": gettext_lazy("Cached input"),
            "cache_write_per_mtok": gettext_lazy("Cache write"),
        }
        help_texts = AS_INPUT
        widgets = dict.fromkeys(("above_input_tokens", *RATES), NumberCell)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "above_input_tokens" in self.fields:
            _not_below(1, self.fields["above_input_tokens"])
        cells_name(self.fields, "above_input_tokens", *RATES)


class TierInline(admin.TabularInline):
    """In the currency of their price. The formset of the admin refuses a bound that is there twice."""

    model = ModelPriceTier
    form = TierForm
    classes = ["st-admin-cells"]
    # A place for one more, since without JavaScript there is no button that adds one.
    extra = 1
    verbose_name = gettext_lazy("tier")
    verbose_name_plural = gettext_lazy(
        "Tiers, per million tokens: a call with more input pays these rates for all of its tokens"
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A tier is a part of its price: who may see or set that, may see or set this."""
        return bool(request.user.has_perm("agentcore.view_modelprice")) or self._may_write(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_write(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_write(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_write(request)

    def _may_write(self, request: HttpRequest) -> bool:
        perms = ("agentcore.add_modelprice", "agentcore.change_modelprice")
        return any(request.user.has_perm(permission) for permission in perms)


class ModelPriceAdmin(admin.ModelAdmin):
    form = PriceForm
    inlines = [TierInline]
    list_display = ["model", "provider", "rates", "tiers_known", "valid_from", "valid_until"]
    list_select_related = ["provider"]
    search_fields = ["model", "provider__slug", "provider__name"]

    class Media:
        css = {"all": ["agentcore/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelPrice]:
        following = Window(Lead("valid_from"), partition_by=["provider", "model"], order_by=F("valid_from").asc())
        return super().get_queryset(request).annotate(next_from=following).prefetch_related("tiers")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {
            "valid_from": timezone.now().replace(second=0, microsecond=0),
            **super().get_changeform_initial_data(request),
        }

    @admin.display(description=gettext_lazy("input / output, per million tokens"))
    def rates(self, price: ModelPrice) -> str:
        return f"{plain(price.input_per_mtok)} / {plain(price.output_per_mtok)} {price.currency}"

    @admin.display(description=gettext_lazy("tiers"))
    def tiers_known(self, price: ModelPrice) -> str:
        """Where other rates begin."""
        bounds = [
            formats.number_format(tier.above_input_tokens, use_l10n=True, force_grouping=True)
            for tier in price.tiers.all()
        ]
        return _("above %(bounds)s tokens") % {"bounds": ", ".join(bounds)} if bounds else "–"

    @admin.display(description=gettext_lazy("valid until"))
    def valid_until(self, price: Any) -> str:
        until: datetime | None = price.next_from
        return formats.localize(timezone.localtime(until)) if until else _("further notice")
