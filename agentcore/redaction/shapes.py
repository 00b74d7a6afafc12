"""What a secret looks like: the keys that it stands under, and its shapes in text.

Every pattern reads a text once: each starts at a fixed word or a boundary, and what may repeat is bounded or
cannot start again inside itself.
"""

import re

REDACTED = "[redacted]"

# Parts of a key, written without case, "-" or "_".
_KEY_PARTS = (
    *(
        "apikey",
        "accesskey",
        "accountkey",
        "authorization",
        "clientsecret",
        "cookie",
        "credential",
        "csrf",
        "encryptionkey",
    ),
    *("passphrase", "passwd", "password", "privatekey", "secret", "sessionid", "sessionkey", "signature"),
    *("signingkey", "accesskeyid", "connectionstring"),
)
_KEYS = frozenset({"auth", "bearer", "jwt", "otp", "pass", "pin", "pwd", "sid", "sig"})
# Names of things of ours that are no secret.
_NOT_KEYS = frozenset({"credentialid", "credentialids", "provider_credential_missing"})
_NOT_WORD = re.compile(r"[^a-z0-9]")

# A text without any of this holds no shape: the fast way out for ordinary words.
SUSPICIOUS = re.compile(r"[-_.:=@{\[\"\\]|AKIA|ASIA|AIza|bearer", re.IGNORECASE)

_VALUE = r"(?!\[redacted\])[^\s\"'\\&,;<>{}()\[\]]+"
_NAME = (
    r"(?:api[-_ ]?key|(?:access|account)[-_]?key|secret|passw(?:or)?d|passphrase|"
    r"(?:private|signing|encryption)[-_]?key|credential(?!s?[-_]?id)|signature|session[-_]?(?:id|key)|token|pwd|csrf)(?!s\b|s_)[a-z0-9_-]{0,40}"
)
_SEPARATOR = r"\\{0,8}[\"']?\s{0,8}(?:=>|[:=])\s{0,8}+"

_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, flags), replacement)
    for pattern, flags, replacement in (
        (
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----.*?(?:-----END [A-Z0-9 ]{0,60}-----|\Z)",
            re.S,
            REDACTED,
        ),
        (r"(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*){0,3}", 0, REDACTED),
        (r"\b(set-cookie|cookie)(\s{0,8}:\s{0,8}+)(?!\[redacted\])[^\r\n\"']+", re.I, rf"\1\2{REDACTED}"),
        (
            rf"\b(authorization)({_SEPARATOR}\\{{0,8}}[\"']?)(?:(?:bearer|basic|digest|token|apikey|negotiate)\s+)?{_VALUE}",
            re.I,
            rf"\1\2{REDACTED}",
        ),
        (r"\b(bearer)(\s{1,8})[\w.~+/=-]{6,}", re.I, rf"\1\2{REDACTED}"),
        (r"(?<![A-Za-z0-9])sk-[\w-]{6,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])(?:[srp]k|whsec)_(?:live|test)?_?[A-Za-z0-9]{10,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])AIza[\w-]{20,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])(?:gh[pousr]|hf|gsk|npm|nvapi|r8|xai|fw|pplx|dop_v1|github_pat)[_-][\w-]{16,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])(?:glpat|xox[abeoprs]|xapp|pypi)-[\w-]{10,}", 0, REDACTED),
        (r"(?<![A-Za-z0-9])(?:ya29|SG)\.[\w.-]{16,}", 0, REDACTED),
        (r"(?<=://)([^\s:/@\"'<>]{0,200}):[^\s\"'<>]{1,512}@", 0, rf"\1:{REDACTED}@"),
        (r"(?<=://)(?!\[redacted\])[^\s:/@\"'<>]{16,512}@", 0, f"{REDACTED}@"),
        (rf"([?&](?:key|sig|code|auth|sas)=){_VALUE}", re.I, rf"\1{REDACTED}"),
        (rf"({_NAME}{_SEPARATOR}\\{{0,8}}\")(?:\\.|[^\"\\])+", re.I, rf"\1{REDACTED}"),
        (rf"({_NAME}{_SEPARATOR}')(?:\\.|[^'\\])+", re.I, rf"\1{REDACTED}"),
        (rf"({_NAME}{_SEPARATOR}){_VALUE}", re.I, rf"\1{REDACTED}"),
    )
)


def is_secret_key(key: str) -> bool:
    """Whether what stands under ``key`` is a secret by its name, whatever its case and its ``-`` and ``_``."""
    plain = _NOT_WORD.sub("", key[:200].lower())
    if plain in _NOT_KEYS:
        return False
    # "access_token" is one, "max_tokens" is a number.
    return plain in _KEYS or plain.endswith("token") or any(part in plain for part in _KEY_PARTS)


def without_shapes(text: str) -> str:
    """``text`` with everything that looks like a secret replaced."""
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    return text
