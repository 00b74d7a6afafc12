"""``manage.py rotate_credentials``: seal every stored credential with the newest key."""

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agentcore.conf import steward
from agentcore.models import Credential
from agentcore.services.rotation import Rotation, credential_rotate


class Command(BaseCommand):
    help = "Re-encrypts every stored credential with the newest key, one at a time. Can be killed and run again."

    def handle(self, *args: Any, **options: Any) -> None:
        if not steward().CREDENTIAL_KEYS:
            raise CommandError("STEWARD['CREDENTIAL_KEYS'] is empty: there is no key to encrypt with.")
        slugs = list(Credential.objects.values_list("slug", flat=True))
        outcomes = {slug: credential_rotate(slug) for slug in slugs}
        counts = Counter(outcomes.values())
        self.stdout.write(
            f"re-encrypted: {counts[Rotation.DONE]}, already with the newest key: {counts[Rotation.CURRENT]}, "
            f"cannot be decrypted: {counts[Rotation.UNREADABLE]}"
        )
        if lost := [slug for slug, outcome in outcomes.items() if outcome is Rotation.UNREADABLE]:
            raise CommandError(
                f"None of the keys opens these credentials: {', '.join(lost)}. Add the key that they were stored "
                "with to the end of STEWARD_CREDENTIAL_KEYS, or enter their values again in the admin."
            )
