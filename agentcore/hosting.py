"""What a host site puts in its settings: plain values, since settings are read before any app is loaded."""

from typing import Any

# The wing that has a socket, and where.
SOCKET_APP, SOCKET = "conversations", "conversations.routing.websocket"

APPS = [
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "agentcore",
    "conversations",
    "toolsapp",
    "governance",
]

# Before the site's own: what they answer, too, has an id and a policy.
MIDDLEWARE = [
    "agentcore.http.head_without_body",
    "agentcore.http.request_id",
    "agentcore.http.no_nul",
    "agentcore.http.content_security_policy",
    "agentcore.http.api_slashes",
]

# Measured under four writing processes: WAL alone loses writes, these options lose none.
SQLITE_OPTIONS: dict[str, Any] = {
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
}

# Under ASGI each request has a thread of its own: connections that are kept by thread pile up, those of a pool do not.
# It needs psycopg[pool], and CONN_MAX_AGE left at 0.
POSTGRES_OPTIONS: dict[str, Any] = {"pool": {"min_size": 1, "max_size": 20}}

# For one process. Several need channels_redis.
CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "agentcore.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": [
        "agentcore.api.parsers.JsonBody",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "agentcore.api.schema.Operation",
    "EXCEPTION_HANDLER": "agentcore.api.errors.drf_exception_handler",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Steward",
    "DESCRIPTION": "A governed AI agent: conversations, runs and what is on record of them.",
    "VERSION": "0.1.0",
    # 3.1 is JSON Schema, so that an answer can be held against it.
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/",
    "PARSER_WHITELIST": ["agentcore.api.parsers.JsonBody"],
    # It would name each enumeration after its field, and refuse two fields of one name.
    "POSTPROCESSING_HOOKS": [],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}
