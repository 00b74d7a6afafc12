"""API tokens: a login for programs."""

import hashlib
import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


def token_hash(value: str) -> str:
    """SHA-256 in hex. The value is 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(value.encode()).hexdigest()


class ApiToken(models.Model):
    """A user's token for ``Authorization: Token …``. Only its hash is stored."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("user"), on_delete=models.CASCADE, related_name="steward_tokens"
    )
    name = models.CharField(_("name"), max_length=100)
    hash = models.CharField(_("hash"), max_length=64, unique=True, editable=False)
    last_four = models.CharField(_("last four"), max_length=4, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} …{self.last_four}"

    @classmethod
    def issue(cls, *, user: object, name: str) -> tuple["ApiToken", str]:
        """Make a token; return the row and the value, which is shown this once and never again."""
        value = f"stw_{secrets.token_urlsafe(32)}"
        return cls.objects.create(user=user, name=name, hash=token_hash(value), last_four=value[-4:]), value
