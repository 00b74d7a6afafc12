"""Groups: how all sockets of a person are reached, in every process, through the channel layer."""

import logging
from typing import Any

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)


def _group_of(user_id: Any) -> str:
    return f"steward.user.{user_id}"


async def group_join(user_id: Any, channel: str) -> None:
    """Let ``channel`` hear what the person's sockets are told. Without a layer that works, it hears nothing."""
    layer = get_channel_layer()
    try:
        if layer is not None:
            await layer.group_add(_group_of(user_id), channel)
    except Exception:
        # A socket without notices still chats.
        logger.exception("The channel layer does not answer.")


async def group_leave(user_id: Any, channel: str) -> None:
    layer = get_channel_layer()
    try:
        if layer is not None:
            await layer.group_discard(_group_of(user_id), channel)
    except Exception:
        # The membership expires by itself.
        logger.exception("The channel layer does not answer.")


async def group_tell(user_id: Any, frame: dict[str, Any]) -> None:
    """Send ``frame`` to every socket of the person."""
    layer = get_channel_layer()
    if layer is not None:
        await layer.group_send(_group_of(user_id), {"type": "conversation.changed", "frame": frame})
