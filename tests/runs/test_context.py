"""The site's context providers in a run with rows: the model reads them, and nothing stores them."""

from typing import Any

import pytest

from agentcore.chat import ChatCall, ChatResponse
from agentcore.messages import Source
from agentcore.models import Run, RunEvent
from agentcore.providers.mock.client import MockChatClient
from agentcore.runs.requests import RunRequest
from agentcore.runs.runtime import Runtime
from agentcore.runs.service import start_run
from conversations.models import Message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


async def test_model_is_told_the_date_and_nobody_keeps_it(
    process: Runtime, user: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TIME_ZONE = "Asia/Shanghai"
    complete, sent = MockChatClient.complete, []

    async def complete_and_keep(client: MockChatClient, call: ChatCall) -> ChatResponse:
        sent.append(call.request.messages[-2])
        return await complete(client, call)

    monkeypatch.setattr(MockChatClient, "complete", complete_and_keep)
    started = await start_run(RunRequest.parse({"input": "hi"}), user=user)
    await process.engine.drain()

    assert [message.source for message in sent] == [Source.CONTEXT_PROVIDER]
    assert "time zone: Asia/Shanghai" in sent[0].text
    assert (await Run.objects.aget(id=started.run_id)).output == "You said: hi"
    assert [row.text async for row in Message.objects.order_by("position")] == ["hi", "You said: hi"]
    assert "time zone" not in str([row.data async for row in RunEvent.objects.all()])
