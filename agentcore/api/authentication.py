"""Token login for programs."""

from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions

from agentcore.models import ApiToken
from agentcore.models.tokens import token_hash


class TokenAuthentication(authentication.BaseAuthentication):
    """``Authorization: Token …``; the value is looked up by its hash."""

    def authenticate(self, request: HttpRequest) -> tuple[object, ApiToken] | None:
        scheme, _space, value = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "token":
            return None
        token = ApiToken.objects.select_related("user").filter(hash=token_hash(value.strip()), revoked_at=None).first()
        if token is None or not token.user.is_active:
            raise exceptions.AuthenticationFailed(_("The token is unknown or was revoked."))
        return token.user, token

    def authenticate_header(self, request: HttpRequest) -> str:
        return "Token"
