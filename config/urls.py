"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from agentcore.api.views import unknown

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("api/", include("agentcore.api.urls")),
    path("api/", include("conversations.api.urls")),
    path("api/<path:rest>", unknown),
    path("", include("governance.urls")),
    path("", include("conversations.urls")),
]

handler400 = "agentcore.api.errors.bad_request"
handler403 = "agentcore.api.errors.forbidden"
handler404 = "agentcore.api.errors.not_found"
handler500 = "agentcore.api.errors.server_error"
