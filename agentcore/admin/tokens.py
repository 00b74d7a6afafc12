"""API tokens in the admin: made here, shown once, revoked here."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agentcore.errors import AgentError
from agentcore.models import ApiToken
from agentcore.services.tokens import token_issue, tokens_revoke

SHOWN = ["name", "user", "shown_last_four", "created_at", "revoked_at"]


class TokenForm(forms.ModelForm):
    class Meta:
        model = ApiToken
        fields = ["user", "name"]
        help_texts = {
            "user": gettext_lazy("The token may do whatever this user may."),
            "name": gettext_lazy("What it is for, so that it can be told from others."),
        }


class ApiTokenAdmin(admin.ModelAdmin):
    """A token cannot be edited: only made and revoked."""

    form = TokenForm
    list_display = [*SHOWN]
    list_select_related = ["user"]
    search_fields = ["name", "user__username"]
    actions = ["revoke"]

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        return SHOWN if obj else ["user", "name"]

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_revoke_permission(request)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("agentcore.change_apitoken")

    def get_readonly_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> list[str]:
        return SHOWN if obj else []

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "user" and field is not None and field.queryset is not None:
            users = field.queryset.filter(is_active=True)
            field.queryset = users if request.user.is_superuser else users.filter(pk=request.user.pk)
            field.initial = request.user.pk
        return field

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        try:
            row, request.issued_token = token_issue(by=request.user, user=obj.user, name=obj.name)  # type: ignore[attr-defined]
        except AgentError as error:
            raise PermissionDenied(error.message) from None
        # The admin logs and shows the object that it was given.
        obj.__dict__.update(row.__dict__)

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: Any = None) -> HttpResponse:
        """The one page that shows the value: no message, since those are stored until they are shown."""
        context = {
            **self.admin_site.each_context(request),
            "title": _("The token is made"),
            "opts": self.opts,
            "token": obj,
            "value": request.issued_token,  # type: ignore[attr-defined]
        }
        # No browser keeps it: the admin marks all its pages so.
        return TemplateResponse(request, "agentcore/admin/token_issued.html", context)

    @admin.action(description=gettext_lazy("Revoke the selected tokens"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        tokens = list(queryset)
        count = tokens_revoke([token.pk for token in tokens])
        for token in tokens:
            self.log_change(request, token, _("Revoked."))
        said = ngettext("%(count)s token was revoked.", "%(count)s tokens were revoked.", count) % {"count": count}
        self.message_user(request, said, messages.SUCCESS)

    @admin.display(description=gettext_lazy("last four"), ordering="last_four")
    def shown_last_four(self, token: ApiToken) -> str:
        return f"…{token.last_four}"
