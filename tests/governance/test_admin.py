"""The records in Django admin: what belongs to a turn's owner is not there."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from agentcore.ids import uuid7
from agentcore.observers import RunEnded, RunStarted
from governance.models import AuditEvent
from governance.services.audit import audit_record

pytestmark = pytest.mark.django_db


def test_no_audit_row_shows_others_its_payload(
    people: dict[str, User], browse: Callable[..., Any], started: RunStarted, failed: Callable[..., RunEnded]
) -> None:
    audit_record(uuid7(), [started, failed()])
    people["staff"].user_permissions.set(Permission.objects.filter(codename="view_auditevent"))
    rows = list(AuditEvent.objects.all())
    assert any(started.input in str(row.payload) for row in rows)

    pages = [browse("staff", reverse("admin:governance_auditevent_change", args=[row.pk])) for row in rows]

    assert [page.status_code for page in pages] == [200] * 3
    texts = [page.content.decode() for page in pages]
    assert [text for text in texts if started.input in text or "field-payload" in text] == []
