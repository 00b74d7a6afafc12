"""Every address of the site: its own pages, and Steward."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path
from django.views.generic import TemplateView

urlpatterns = [
    path("", TemplateView.as_view(template_name="site/home.html"), name="home"),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("agentcore.urls")),
]

handler400 = "agentcore.api.errors.bad_request"
handler403 = "agentcore.api.errors.forbidden"
handler404 = "agentcore.api.errors.not_found"
handler500 = "agentcore.api.errors.server_error"
