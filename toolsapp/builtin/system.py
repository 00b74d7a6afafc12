"""``system.*``: tools that try out the machinery itself."""

from typing import Annotated

from toolsapp.decorator import agent_tool


@agent_tool(name="system.echo", category="system")
def echo(text: Annotated[str, "What to give back"]) -> str:
    """Give the text back, unchanged."""
    return text
