"""Credentials as cipher text: sealed with the site's newest key, bound to their id, opened with any of its keys."""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

MAX_VALUE = 8192
# Of a shorter value, four characters are too much to show.
MIN_SHOWN = 12
_MASK = re.compile(r"[*•●∙]{3,}|\.{3}|…|^x{4,}|\[redacted\]", re.IGNORECASE)


class CredentialUnreadable(Exception):
    """No key opens the token, or it was sealed for another credential."""


def seal(slug: str, value: str, keys: Sequence[str]) -> bytes:
    """``value`` encrypted with the first key. The id is inside, so that two rows cannot swap their tokens.

    Raises:
        CredentialUnreadable: there is no usable key.
    """
    return _box(keys).encrypt(json.dumps({"id": slug, "value": value}).encode())


def unseal(slug: str, token: bytes | memoryview, keys: Sequence[str]) -> str:
    """
    Raises:
        CredentialUnreadable: no key opens the token, or it belongs to another credential.
    """
    try:
        opened = json.loads(_box(keys).decrypt(bytes(token)))
    except InvalidToken:
        opened = None
    if opened is None or opened["id"] != slug:
        raise CredentialUnreadable(slug)
    return str(opened["value"])


def _box(keys: Sequence[str]) -> MultiFernet:
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except (ValueError, TypeError):
        box = None
    if box is None:
        # Out here: the error of a malformed key would quote it.
        raise CredentialUnreadable("no usable key")
    return box


def last_four(value: str) -> str:
    return value[-4:] if len(value) >= MIN_SHOWN else ""


def fingerprint(value: str, secret: str) -> str:
    """16 hex digits that tell two values apart and, without ``secret``, nothing about either."""
    return hmac.new(secret.encode(), b"credential:" + value.encode(), hashlib.sha256).hexdigest()[:16]


def looks_masked(value: str) -> bool:
    """Whether ``value`` is what a page shows instead of a key."""
    return _MASK.search(value) is not None
