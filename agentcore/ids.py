"""Identifiers that are shown outside: UUIDs of version 7, so that they sort by time."""

import os
import time
from uuid import UUID


def uuid7() -> UUID:
    """Return a new UUID of version 7: 48 bits of Unix milliseconds, then 74 random bits.

    Source: https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
    """
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80
    value |= 0x7 << 76 | (random >> 62 & 0xFFF) << 64
    value |= 0b10 << 62 | random & (1 << 62) - 1
    return UUID(int=value)
