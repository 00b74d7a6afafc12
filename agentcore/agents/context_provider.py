"""Context: what a run's model reads beside what was said, added after the history and never stored."""

from collections.abc import Sequence
from typing import Protocol

from agentcore.agents.context import RunContext
from agentcore.messages import Message


class ContextProvider(Protocol):
    """Adds messages to a run, named by a dotted path in ``STEWARD["CONTEXT_PROVIDERS"]``; built once a run."""

    async def provide(self, run: RunContext, messages: Sequence[Message]) -> Sequence[Message]:
        """What to add to ``messages``, the history and the new input; it stands between the two.

        The agent stamps it ``AIContextProvider``.

        Text goes into a fenced block of a user-role message, never into ``system``.
        """
