"""Thinking that a provider keeps encrypted goes back to the model that thought it, through whole runs."""

from typing import Any

import pytest

from agentcore.models import AgentRoute, Provider, Run
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from tests.contracts.wires_responses import call, done, ended, message, thinking
from tests.fake_upstream import Answer, FakeUpstream

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

CALLED = call("c1", "math__add", '{"a":1,"b":2}')
ANSWERS = [
    Answer(
        writes=[
            done(thinking("rs_1", "add", "enc_1")),
            done(CALLED, 1),
            ended(thinking("rs_1", "add", "enc_1"), CALLED),
        ]
    ),
    Answer(writes=[ended(thinking("rs_2", "say", "enc_2"), message("Three."))]),
    Answer(writes=[ended(message("Bye."))]),
]


async def sent(process: Runtime, user: Any, text: str, conversation_id: Any = None) -> Run:
    asked = {"input": text, "conversation_id": conversation_id and str(conversation_id)}
    run = await start_run(RunRequest.parse(asked), user=user)
    await process.engine.drain()
    return await Run.objects.aget(id=run.run_id)


async def test_encrypted_thinking_goes_back_within_the_turn_and_the_next(
    process: Runtime, user: Any, settings: Any
) -> None:
    settings.STEWARD = settings.STEWARD | {"ALLOW_PRIVATE_PROVIDER_URLS": True}
    async with FakeUpstream(ANSWERS) as upstream:
        provider = await Provider.objects.acreate(
            slug="fx", provider_type="openai_responses", name="Fx", base_url=upstream.base_url, default_model="fx-1"
        )
        await AgentRoute.objects.all().aupdate(provider=provider)
        first = await sent(process, user, "What is 1 + 2?")
        await sent(process, user, "Thanks.", first.conversation_id)

    within, after = ([kind_of(item) for item in request.json["input"]] for request in upstream.requests[1:])
    turn = ["user", "rs_1 enc_1", "function_call", "function_call_output"]
    assert [kind for kind in within if kind != "system"] == turn
    assert [kind for kind in after if kind != "system"] == [*turn, "rs_2 enc_2", "assistant", "user"]


def kind_of(item: dict[str, Any]) -> str:
    return (
        f"{item['id']} {item['encrypted_content']}" if item["type"] == "reasoning" else item.get("role", item["type"])
    )
