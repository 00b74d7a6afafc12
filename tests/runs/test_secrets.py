"""What a tool gets may hold secrets; no row, no event, no log and no surface of the site does, and no later prompt."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
import pytest_asyncio
from django.apps import apps
from django.db import models
from django.test import AsyncClient

from agentcore.agents.calls import argument_hash
from agentcore.errors import GuardrailBlocked
from agentcore.models import AgentRoute, Provider, Run, ToolCall
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import Started, start_run
from agentcore.services.credentials import credential_store
from agentcore.tools import Caller, Tool, ToolContext, ToolResult
from governance.models import AuditEvent
from tests.fake_upstream import FakeUpstream, called, said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

STORED, SHAPED, BEARER = "canary0123value", "sk-CANARY0123456789abcdef", "CANARYabc.def0123456789"
# A summary is cut to a line: half of a key is a secret, too.
SECRETS = (STORED, SHAPED[:7], BEARER)
ARGUMENTS = {"note": f"use {STORED}", "key": SHAPED, "header": f"Authorization: Bearer {BEARER}", "city": "Oslo"}
TABLES = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def cut(arguments: Mapping[str, Any]) -> str:
    return str(arguments["key"])[:7]


class Leaky:
    """A toolset whose one tool gives back and raises what it was given."""

    got: Mapping[str, Any] = {}

    def tools_for(self, caller: Caller) -> list[Tool]:
        parameters = {"type": "object", "properties": {}}
        return [
            Tool(name="leak", description="Leak.", parameters=parameters, invoke=self.leak, summarise=cut),
            Tool(name="fail", description="Fail.", parameters=parameters, invoke=self.fail),
        ]

    async def leak(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        Leaky.got = arguments
        return ToolResult(for_model=dict(arguments), for_ui=[dict(arguments)], invalidates=(SHAPED,))

    async def fail(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        raise LookupError(f"nothing under {STORED}, {SHAPED}")


async def rude(call: Any, call_next: Any) -> Any:
    raise GuardrailBlocked(f"I know {STORED} and {SHAPED}.")


async def broken(call: Any, call_next: Any) -> Any:
    raise LookupError(f"nothing under {STORED}, {SHAPED}")


@pytest.fixture
def toolset(transactional_db: None, settings: Any) -> None:
    credential_store("other", STORED)
    own = {"TOOLSETS": ["tests.runs.test_secrets.Leaky"], "ALLOW_PRIVATE_PROVIDER_URLS": True}
    settings.STEWARD = settings.STEWARD | own


@pytest_asyncio.fixture
async def upstream(process: Runtime, toolset: None) -> AsyncIterator[FakeUpstream]:
    """A model that calls both tools with secrets, and then tells one of them, cut into pieces."""
    call = json.dumps(ARGUMENTS)
    answers = [called(("c1", "leak", call), ("c2", "fail", call)), said("It is ", STORED[:4], STORED[4:9], STORED[9:])]
    async with FakeUpstream(answers) as server:
        provider = await Provider.objects.acreate(
            slug="fake", provider_type="openai_chat", name="Fake", base_url=server.base_url, default_model="fake-1"
        )
        await AgentRoute.objects.all().aupdate(provider=provider)
        yield server


async def asked(process: Runtime, user: Any, text: str = "go on") -> Started:
    started = await start_run(RunRequest.parse({"input": text}), user=user)
    await process.engine.drain()
    return started


def leaks(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


async def table_of(model: type[models.Model]) -> str:
    """Every text and JSON of a table, as it is stored."""
    kept = (models.CharField, models.TextField, models.JSONField)
    names = [field.attname for field in model._meta.concrete_fields if isinstance(field, kept)]
    return json.dumps([row async for row in model._default_manager.values_list(*names)], default=str) if names else ""


async def test_no_table_holds_a_secret_that_went_through_a_tool(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    await asked(process, user)

    found = {model._meta.label: leaks(await table_of(model)) for model in TABLES}
    assert {label: secrets for label, secrets in found.items() if secrets} == {}
    assert "Oslo" in await table_of(ToolCall), "what is no secret stays"
    assert await AuditEvent.objects.filter(action="tool_result").acount() == 2


async def test_tool_gets_its_arguments_as_the_model_wrote_them(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    await asked(process, user)

    assert Leaky.got == ARGUMENTS
    assert (await ToolCall.objects.aget(name="leak")).argument_hash == argument_hash(ARGUMENTS)


async def test_model_reads_the_same_now_and_tomorrow_and_never_a_secret(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    first = await asked(process, user)
    again = RunRequest.parse({"input": "and now?", "conversation_id": str(first.conversation_id)})
    await start_run(again, user=user)
    await process.engine.drain()

    _call, after_tools, tomorrow = [request.json["messages"] for request in upstream.requests]
    assert leaks(json.dumps([after_tools, tomorrow])) == []
    assert tools_of(tomorrow) == tools_of(after_tools)
    assert len(tools_of(tomorrow)) == 3


def tools_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in messages if message["role"] == "tool" or message.get("tool_calls")]


async def test_no_surface_shows_a_secret(upstream: FakeUpstream, process: Runtime, user: Any) -> None:
    run = await asked(process, user)
    browser = AsyncClient()
    await browser.aforce_login(user)

    paths = ["", "/trace", "/events"]
    addresses = [f"/api/agent/runs/{run.run_id}{path}" for path in paths]
    addresses.append(f"/api/conversations/{run.conversation_id}/messages")
    shown = {address: await whole(await browser.get(address)) for address in addresses}

    assert {address: leaks(text) for address, text in shown.items() if leaks(text)} == {}
    assert all("It is [redacted]" in text for text in shown.values())


async def whole(answer: Any) -> str:
    assert answer.status_code == 200
    if answer.streaming:
        return b"".join([piece async for piece in answer.streaming_content]).decode()
    return str(answer.content.decode())


async def test_own_words_of_a_person_stay_but_for_a_stored_credential(
    upstream: FakeUpstream, process: Runtime, user: Any
) -> None:
    await asked(process, user, f"Is {STORED} a better key than {SHAPED}?")

    run = await Run.objects.aget()
    assert run.input == f"Is [redacted] a better key than {SHAPED}?"
    assert run.input in upstream.requests[0].body.decode()
    assert STORED not in "".join([await table_of(model) for model in TABLES])


@pytest.fixture
def layer(request: pytest.FixtureRequest, toolset: None, settings: Any) -> None:
    settings.STEWARD = settings.STEWARD | {"RUN_MIDDLEWARE": [f"tests.runs.test_secrets.{request.param}"]}


@pytest.mark.usefixtures("layer", "upstream")
@pytest.mark.parametrize(
    ("layer", "code"), [("rude", "GUARDRAIL_BLOCKED"), ("broken", "INTERNAL_ERROR")], indirect=["layer"]
)
async def test_error_of_a_run_holds_no_secret_and_neither_does_the_log(
    process: Runtime, user: Any, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    await asked(process, user)

    run = await Run.objects.aget()
    assert run.error is not None
    assert run.error["code"] == code
    assert leaks(caplog.text + "".join([await table_of(model) for model in TABLES])) == []
