"""An upstream that quotes our key when it fails (case A51): no row, no event, no surface and no log repeats it."""

import json
import logging
from typing import Any

import pytest
from django.test import AsyncClient

from agentcore.models import AgentRoute, Credential, Provider, Run
from agentcore.runs.runtime import Runtime
from agentcore.services.credentials import credential_store
from tests.fake_upstream import Answer, FakeUpstream, chunk
from tests.recorded import case
from tests.runs.test_secrets import TABLES, asked, table_of, whole

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

KEY: str = case("A51")["input"]["canary"]
QUOTING = json.dumps({"error": {"message": f"bad key {KEY} at https://x/?key={KEY}"}}).encode()
JSON = {"content-type": "application/json", "x-echo": KEY}
FAILING = {
    "PROVIDER_AUTH_FAILED": Answer(status=401, headers=JSON, writes=[QUOTING]),
    "PROVIDER_BAD_REQUEST": Answer(status=400, headers=JSON, writes=[QUOTING]),
    "PROVIDER_UNAVAILABLE": Answer(writes=[chunk({"content": "half"}), b"data: " + QUOTING + b"\n\n"]),
    "PROVIDER_URL_FORBIDDEN": Answer(status=302, headers={"location": f"https://x.example/?key={KEY}"}),
}


@pytest.fixture
def stored(transactional_db: None, settings: Any) -> None:
    settings.STEWARD = settings.STEWARD | {"ALLOW_PRIVATE_PROVIDER_URLS": True}
    credential_store("fake", KEY)


async def served_by(server: FakeUpstream) -> None:
    """Every route leads to that upstream, with the key."""
    provider = await Provider.objects.acreate(
        slug="fake",
        provider_type="openai_chat",
        name="Fake",
        base_url=server.base_url,
        default_model="fake-1",
        credential=await Credential.objects.aget(slug="fake"),
    )
    await AgentRoute.objects.all().aupdate(provider=provider)


@pytest.mark.parametrize("code", FAILING)
async def test_a_failed_run_repeats_no_key(
    stored: None, process: Runtime, user: Any, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    caplog.set_level(logging.DEBUG)
    async with FakeUpstream([FAILING[code]]) as server:
        await served_by(server)
        run = await asked(process, user)
    browser = AsyncClient()
    await browser.aforce_login(user)
    addresses = [f"/api/agent/runs/{run.run_id}{path}" for path in ("", "/trace", "/events")]
    addresses.append(f"/api/conversations/{run.conversation_id}/messages")

    shown = {address: await whole(await browser.get(address)) for address in addresses}
    rows = {model._meta.label: await table_of(model) for model in TABLES}

    assert {KEY in request.headers["authorization"] for request in server.requests} == {True}
    assert (await Run.objects.aget()).error["code"] == code  # type: ignore[index]
    assert [place for place, text in {**shown, **rows, "log": caplog.text}.items() if KEY in text] == []
