"""The agent of a conversation answers in it, unless a person asks for another."""

from typing import Any

import pytest
import pytest_asyncio
from django.utils import timezone

from agentcore.models import AgentProfile, AgentRoute, Run
from agentcore.runs.runtime import Runtime
from conversations.models import Conversation
from tests.conversations.conftest import Socket

pytestmark = pytest.mark.database


@pytest_asyncio.fixture
async def conversation(alice: Any, process: Runtime) -> Conversation:
    """One whose agent is not the site's default."""
    other = await AgentProfile.objects.acreate(slug="other", name="Other")
    await AgentRoute.objects.acreate(agent=other, provider_id="mock", position=0)
    return await Conversation.objects.acreate(user=alice, agent="other", updated_at=timezone.now())


async def answered(socket: Socket, conversation: Conversation, **fields: Any) -> Run:
    await socket.say(type="send", text="hi", send_id="s", conversation_id=str(conversation.pk), **fields)
    assert (await socket.told())["type"] == "accepted"
    await socket.told_until_end()
    return await Run.objects.aget()


async def test_a_run_is_answered_by_the_agent_of_its_conversation(alices: Socket, conversation: Conversation) -> None:
    assert (await answered(alices, conversation)).agent == "other"


async def test_the_agent_that_is_asked_for_wins_once(alices: Socket, conversation: Conversation) -> None:
    assert (await answered(alices, conversation, agent="assistant")).agent == "assistant"
    await conversation.arefresh_from_db()
    assert conversation.agent == "other"


async def test_a_conversation_that_names_no_agent_has_that_of_the_site(
    alices: Socket, conversation: Conversation
) -> None:
    await Conversation.objects.aupdate(agent="")
    assert (await answered(alices, conversation)).agent == "assistant"


async def test_a_conversation_of_a_disabled_agent_is_answered_by_nobody_else(
    alices: Socket, conversation: Conversation
) -> None:
    await AgentProfile.objects.filter(slug="other").aupdate(enabled=False)
    await alices.say(type="send", text="hi", send_id="s", conversation_id=str(conversation.pk))
    assert (await alices.told())["code"] == "NOT_FOUND"
    assert not await Run.objects.aexists()
