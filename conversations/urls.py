"""Addresses of the pages for users."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

from conversations.views import AgentView, HomeView

pages = (
    [
        path("", HomeView.as_view(), name="home"),
        path("agent/", AgentView.as_view(), name="agent"),
    ],
    "conversations",
)

# The names of login and logout have no namespace: Django's own code reverses them bare.
urlpatterns = [
    path("", include(pages)),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
]
