"""Records in the admin: to read, never to change, each with links to what else there is of its run."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agentcore.admin.links import links_in_a_line, record_links


class RecordAdmin(admin.ModelAdmin):
    """``run_field`` names the field that holds the id of the record's run."""

    run_field = "run_id"
    # Counting all records to show a page of them costs more than the page.
    show_full_result_count = False
    list_per_page = 50

    class Media:
        css = {"all": ["agentcore/admin.css"]}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=gettext_lazy("records"))
    def records(self, record: Any) -> SafeString | str:
        return links_in_a_line(record_links(getattr(record, self.run_field))) or _("none")

    # A list beside its filters has room for two.
    @admin.display(description=gettext_lazy("records"))
    def first_records(self, record: Any) -> SafeString | str:
        return links_in_a_line(record_links(getattr(record, self.run_field))[:2]) or _("none")

    @admin.display(description=gettext_lazy("answered by"))
    def answered_by(self, record: Any) -> str:
        return f"{record.provider_id}/{record.model}" if record.provider_id else "–"
