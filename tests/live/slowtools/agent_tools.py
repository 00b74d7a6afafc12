"""Tools that are still running when the process is killed."""

import asyncio
import os
from pathlib import Path

from toolsapp.decorator import agent_tool


@agent_tool(name="test.slow")
async def slow(seconds: float = 30) -> str:
    """Wait."""
    _log("called\n")
    await asyncio.sleep(seconds)
    return "waited"


def _log(line: str) -> None:
    with Path(os.environ["SLOW_TOOL_LOG"]).open("a") as log:
        log.write(line)
