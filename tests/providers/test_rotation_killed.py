"""A rotation that is killed: every credential stays readable, and the next one finishes it (case A52)."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.test import Client

from agentcore.models import Credential, Provider
from agentcore.services.credentials import (
    Readability,
    credential_state,
    credential_store,
    credential_value,
    token_opens,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

K1, K2, K3 = (Fernet.generate_key().decode() for _ in range(3))
COUNT, HALF = 100, 50
ROOT = Path(__file__).resolve().parents[2]
# The command as it is; the machine takes the process away in the middle of its 51st credential.
KILLED = f"""
import os, signal
import django
django.setup()
from django.core.management import call_command
from agentcore.services import rotation
seal, sealed = rotation.seal, []
def killing(*args):
    sealed.append(args[0])
    if len(sealed) > {HALF}:
        os.kill(os.getpid(), signal.SIGKILL)
    return seal(*args)
rotation.seal = killing
call_command("rotate_credentials")
"""
ROTATED = f"re-encrypted: {COUNT - HALF}, already with the newest key: {HALF}, cannot be decrypted: 0"


def keys(settings: Any, *found: str) -> None:
    settings.STEWARD = {"CREDENTIAL_KEYS": list(found)}


def another_process(*command: str, keys: str) -> subprocess.CompletedProcess[str]:
    """Python on the database of this test."""
    server = connection.settings_dict
    url = f"sqlite:///{server['NAME']}"
    if connection.vendor == "postgresql":
        place = f"{server['HOST'] or '127.0.0.1'}:{server['PORT'] or 5432}"
        url = f"postgres://{server['USER']}:{server['PASSWORD']}@{place}/{server['NAME']}"
    given = {"DATABASE_URL": url, "STEWARD_CREDENTIAL_KEYS": keys, "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment = {**os.environ, **given}
    arguments = [sys.executable, *command]
    return subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def values(slugs: list[str]) -> list[str]:
    return [credential_value(slug) for slug in slugs]


def sealed_with(key: str) -> int:
    return sum(token_opens(row.slug, row.token, [key]) for row in Credential.objects.all())


def test_a_rotation_that_is_killed_half_way_is_finished_by_the_next(settings: Any, django_user_model: Any) -> None:
    keys(settings, K1)
    slugs = [f"c{number:03}" for number in range(COUNT)]
    stored = [f"sk-value-of-{slug}" for slug in slugs]
    for slug, value in zip(slugs, stored, strict=True):
        credential_store(slug, value)

    keys(settings, K2, K1)
    assert values(slugs) == stored
    assert token_opens("new", credential_store("new", "sk-value-of-new").token, [K2])
    Credential.objects.get(slug="new").delete()

    killed = another_process("-c", KILLED, keys=f"{K2},{K1}")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (sealed_with(K2), sealed_with(K1)) == (HALF, COUNT - HALF)
    assert values(slugs) == stored

    finished = another_process("manage.py", "rotate_credentials", keys=f"{K2},{K1}")
    assert finished.stdout.strip() == ROTATED, finished.stderr
    assert sealed_with(K2) == COUNT

    keys(settings, K2)
    assert values(slugs) == stored

    keys(settings, K3)
    assert {credential_state(row).readability for row in Credential.objects.all()} == {Readability.UNREADABLE}
    check_that_everything_answers(boss(django_user_model))


def boss(users: Any) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(users.objects.create_superuser("root"))
    return client


def check_that_everything_answers(client: Client) -> None:
    """With a provider whose key is lost: each page and endpoint about it, and a test that says what is wrong."""
    Provider.objects.create(
        slug="p", provider_type="openai_chat", name="P", base_url="https://example.com", credential_id="c000"
    )
    admin = [
        f"/admin/agentcore/{path}" for path in ("credential/", "credential/c000/change/", "credential/c000/replace/")
    ]
    more = ["provider/", "provider/p/change/", "provider/add/", "agentprofile/add/", "modelprice/add/"]
    api = ["providers", "providers/p", "providers/p/models", "credentials/c000", "models", "agents"]
    pages = [*admin, *(f"/admin/agentcore/{path}" for path in more), *(f"/api/{path}" for path in api), "/admin/", "/"]
    assert {page: client.get(page).status_code for page in pages} == dict.fromkeys(pages, 200)
    told = client.post("/api/providers/test", {"provider_id": "p"}, "application/json").json()
    assert (told["ok"], told["code"]) == (False, "PROVIDER_CREDENTIAL_MISSING")
    assert "cannot be decrypted" in told["message"]
    found = client.get("/api/credentials/c000").json()
    assert (found["configured"], found["source"], found["state"]) == (False, "stored", "unreadable")
