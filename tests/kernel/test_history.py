"""History: loaded once a run, and repaired before every model call."""

from uuid import UUID

from agentcore.agents.agent import ChatAgent
from agentcore.agents.session import AgentSession
from agentcore.chat import TextDelta
from agentcore.ids import uuid7
from agentcore.messages import FunctionCallContent, FunctionResultContent, Message, Role, Source
from agentcore.providers.dialects.names import WireNames
from agentcore.providers.dialects.openai_messages import encoded_messages
from agentcore.providers.profile import ModelProfile
from agentcore.testing import RecordingTool, ScriptedChatClient, call

UNPAIRED = (
    Message.of(Role.USER, "book it", source=Source.CHAT_HISTORY),
    Message(role=Role.ASSISTANT, contents=(FunctionCallContent("lost", "book"),), source=Source.CHAT_HISTORY),
    Message(role=Role.TOOL, contents=(FunctionResultContent("stray", "book"),), source=Source.CHAT_HISTORY),
)


class BrokenHistory:
    """A history whose call has no result, and whose result has no call."""

    loads = 0

    async def load(self, conversation_id: UUID, *, run_id: UUID) -> list[Message]:
        self.loads += 1
        return list(UNPAIRED)


async def test_loaded_history_is_paired_before_every_model_call() -> None:
    history, client = BrokenHistory(), ScriptedChatClient([[call("look")], [TextDelta("Done.")]])
    agent = ChatAgent(client, tools=[RecordingTool("look").tool()], history=history)

    await agent.run("go on", session=AgentSession(conversation_id=uuid7()))

    sent = [[result for message in request.messages for result in message.results] for request in client.requests]
    assert [[result.call_id for result in results] for results in sent] == [["lost"], ["lost", "call_look"]]
    assert history.loads == 1


def test_objects_that_a_database_reordered_make_the_same_prompt() -> None:
    def history(value: dict[str, int]) -> list[Message]:
        asking = Message(role=Role.ASSISTANT, contents=(FunctionCallContent("c", "look", value),))
        return [asking, Message(role=Role.TOOL, contents=(FunctionResultContent("c", "look", value),))]

    sent, stored = [
        encoded_messages(history(value), WireNames([]), ModelProfile())
        for value in ({"bb": 1, "a": 2}, {"a": 2, "bb": 1})
    ]

    assert str(sent) == str(stored)
