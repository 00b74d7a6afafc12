"""Context providers: what they add stands before the new input, stamped, and is kept nowhere."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from agentcore.agents.agent import ChatAgent
from agentcore.agents.clock_context import ClockContext
from agentcore.agents.context import RunContext
from agentcore.chat import TextDelta
from agentcore.messages import Message, Role, Source
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import encoded_messages
from agentcore.providers.profile import ModelProfile
from agentcore.testing import ManualClock, RecordingTool, ScriptedChatClient, call
from agentcore.tools import Caller

SYSTEM, ASKED = Message.of(Role.SYSTEM, "Be kind."), Message.of(Role.USER, "Fly me there tomorrow.")
ADDED = Message.of(Role.USER, "```context\ndate: Monday\n```", source=Source.CONTEXT_PROVIDER)


class Page:
    """Adds one message, and keeps what it was shown."""

    seen: list[str]

    async def provide(self, run: RunContext, messages: Sequence[Message]) -> Sequence[Message]:
        self.seen = [message.text for message in messages]
        return [Message.of(Role.USER, "The page is /flights.")]


async def test_context_stands_at_the_tail_of_each_model_call_and_in_no_answer() -> None:
    page, client = Page(), ScriptedChatClient([[call("look")], [TextDelta("Done.")]])
    tools = [RecordingTool("look").tool()]
    agent = ChatAgent(client, instructions="Be kind.", tools=tools, context_providers=[page])

    response = await agent.run("where?")

    first, second = [[(item.text, item.source) for item in request.messages] for request in client.requests]
    assert first == [
        ("Be kind.", Source.EXTERNAL),
        ("The page is /flights.", Source.CONTEXT_PROVIDER),
        ("where?", Source.EXTERNAL),
    ]
    assert second[:3] == first
    assert page.seen == ["where?"]
    assert [message.text for message in response.messages] == ["", "", "Done."]


@pytest.mark.parametrize(
    ("zone", "today", "tomorrow"),
    [
        ("UTC", "2026-11-30 (Monday)", "2026-12-01 (Tuesday)"),
        ("Asia/Shanghai", "2026-12-01 (Tuesday)", "2026-12-02 (Wednesday)"),
        ("America/Lima", "2026-11-30 (Monday)", "2026-12-01 (Tuesday)"),
    ],
)
async def test_clock_tells_the_callers_own_dates(zone: str, today: str, tomorrow: str) -> None:
    clock = ManualClock(datetime(2026, 11, 30, 18, tzinfo=UTC))
    run = RunContext(caller=Caller(time_zone=zone), clock=clock)

    (told,) = await ClockContext().provide(run, [])

    assert told.role is Role.USER
    assert told.text == f"```context\ndate: {today}, tomorrow: {tomorrow}, time zone: {zone}\n```"


async def test_clock_says_the_same_for_a_whole_day() -> None:
    clock = ManualClock(datetime(2026, 11, 30, 8, tzinfo=UTC))
    run = RunContext(clock=clock)

    (morning,) = await ClockContext().provide(run, [])
    clock.advance(8 * 3600)
    (evening,) = await ClockContext().provide(run, [])

    assert morning.text == evening.text


@pytest.mark.parametrize(
    ("messages", "roles"),
    [
        ([SYSTEM, ADDED, ASKED], ["system", "user"]),
        ([ADDED, ADDED, ASKED], ["user"]),
        ([SYSTEM, ADDED], ["system", "user"]),
        ([ADDED], ["user"]),
        ([ASKED, ASKED], ["user", "user"]),
    ],
)
def test_context_and_input_are_one_turn_of_the_user_on_the_wire(messages: list[Message], roles: list[str]) -> None:
    encoded = encoded_messages(messages, WireNames([]), ModelProfile())

    assert [item["role"] for item in encoded] == roles
    assert encoded[-1]["content"].endswith(messages[-1].text)
