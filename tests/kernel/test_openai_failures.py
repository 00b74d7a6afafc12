"""What the servers of the OpenAI family say when they fail, in the words that they really use."""

import json
from typing import Any

import pytest

from agentcore.clock import CLOCK
from agentcore.providers.failures import failure_of, failure_reported


def nested(message: str = "m", **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def google(code: int, status: str, message: str, *details: dict[str, Any]) -> list[dict[str, Any]]:
    return [nested(message, code=code, status=status, details=list(details))]


REFUSALS: dict[str, tuple[int, Any, str]] = {
    "openai key": (401, nested("Incorrect API key provided: sk-x.", code="invalid_api_key"), "PROVIDER_AUTH_FAILED"),
    "openai quota": (
        429,
        nested(
            "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"
        ),
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "openai rate": (
        429,
        nested(
            "Rate limit reached for gpt-4. You can raise it by adding a payment method at /account/billing.",
            type="tokens",
            code="rate_limit_exceeded",
        ),
        "PROVIDER_RATE_LIMITED",
    ),
    "openai model": (404, nested("The model `x` does not exist.", code="model_not_found"), "MODEL_NOT_FOUND"),
    "openai context": (
        400,
        nested("This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "openai limit": (
        400,
        nested("Billing hard limit has been reached", code="billing_hard_limit_reached"),
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "openai inactive": (
        429,
        nested("Your account is not active.", type="billing_not_active"),
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "openai parameter": (
        400,
        nested("Unsupported parameter: 'max_tokens' is not supported with this model.", code="unsupported_parameter"),
        "PROVIDER_BAD_REQUEST",
    ),
    "openai flagged": (
        400,
        nested(
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.", code="invalid_prompt"
        ),
        "CONTENT_FILTERED",
    ),
    "openai overload": (503, nested("The engine is overloaded", type="server_error"), "PROVIDER_UNAVAILABLE"),
    "azure filter": (
        400,
        nested("Filtered.", code=None, innererror={"code": "ResponsibleAIPolicyViolation"}),
        "CONTENT_FILTERED",
    ),
    "azure deployment": (404, nested("No deployment.", code="DeploymentNotFound"), "MODEL_NOT_FOUND"),
    "deepseek balance": (402, nested("Insufficient Balance", code="invalid_request_error"), "PROVIDER_QUOTA_EXCEEDED"),
    "deepseek model": (400, nested("Model Not Exist", type="invalid_request_error"), "MODEL_NOT_FOUND"),
    "deepseek key": (401, nested("Authentication Fails", type="authentication_error"), "PROVIDER_AUTH_FAILED"),
    "deepseek context": (
        400,
        nested("This model's maximum context length is 65536 tokens.", code="invalid_request_error"),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "moonshot quota": (
        429,
        nested("Your account is suspended", type="exceeded_current_quota_error"),
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "moonshot rate": (429, nested("max request concurrency", type="rate_limit_reached_error"), "PROVIDER_RATE_LIMITED"),
    "moonshot overload": (
        429,
        nested("The engine is overloaded", type="engine_overloaded_error"),
        "PROVIDER_UNAVAILABLE",
    ),
    "moonshot model": (
        404,
        nested("Not found the model or Permission denied", type="resource_not_found_error"),
        "MODEL_NOT_FOUND",
    ),
    "moonshot context": (
        400,
        nested("Invalid request: Your request exceeded model token limit: 8192", type="invalid_request_error"),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "moonshot filter": (
        400,
        nested("The request was rejected because it was considered high risk", type="content_filter"),
        "CONTENT_FILTERED",
    ),
    "dashscope arrears": (400, {"code": "Arrearage", "message": "Access denied."}, "PROVIDER_QUOTA_EXCEEDED"),
    "dashscope rate": (
        429,
        {
            "code": "Throttling.AllocationQuota",
            "message": "Allocated quota exceeded, please increase your quota limit.",
        },
        "PROVIDER_RATE_LIMITED",
    ),
    "dashscope throttling": (429, {"code": "Throttling", "message": "m"}, "PROVIDER_RATE_LIMITED"),
    "dashscope content": (400, {"code": "DataInspectionFailed", "message": "m"}, "CONTENT_FILTERED"),
    "dashscope content, compatible": (400, nested("m", code="data_inspection_failed"), "CONTENT_FILTERED"),
    "dashscope key": (401, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}, "PROVIDER_AUTH_FAILED"),
    "dashscope free tier": (403, nested("m", code="AllocationQuota.FreeTierOnly"), "PROVIDER_QUOTA_EXCEEDED"),
    "dashscope context": (
        400,
        {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"},
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "zhipu arrears": (429, nested("您的账户已欠费，请充值后重试", code="1113"), "PROVIDER_QUOTA_EXCEEDED"),
    "zhipu content": (400, nested("m", code="1301"), "CONTENT_FILTERED"),
    "zhipu concurrency": (429, nested("m", code="1302"), "PROVIDER_RATE_LIMITED"),
    "zhipu rate": (429, nested("m", code=1303), "PROVIDER_RATE_LIMITED"),
    "zhipu length": (400, nested("Prompt 超长", code="1261"), "CONTEXT_LENGTH_EXCEEDED"),
    "zhipu model": (400, nested("模型不存在", code="1211"), "MODEL_NOT_FOUND"),
    "gemini rate": (429, google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."), "PROVIDER_RATE_LIMITED"),
    "gemini rate of a plan": (
        429,
        google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {"retryDelay": "35s"}),
        "PROVIDER_RATE_LIMITED",
    ),
    "gemini quota": (
        429,
        google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan."),
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "gemini key": (
        400,
        google(
            400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", {"reason": "API_KEY_INVALID"}
        ),
        "PROVIDER_AUTH_FAILED",
    ),
    "gemini key, in words": (400, google(400, "INVALID_ARGUMENT", "API key not valid."), "PROVIDER_AUTH_FAILED"),
    "gemini permission": (403, google(403, "PERMISSION_DENIED", "m"), "PROVIDER_AUTH_FAILED"),
    "gemini argument": (400, google(400, "INVALID_ARGUMENT", "Invalid value at 'tools'."), "PROVIDER_BAD_REQUEST"),
    "gemini context": (
        400,
        google(
            400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum number of tokens allowed."
        ),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "gemini model": (404, google(404, "NOT_FOUND", "models/x is not found for API version v1main"), "MODEL_NOT_FOUND"),
    "gemini overload": (503, google(503, "UNAVAILABLE", "The model is overloaded."), "PROVIDER_UNAVAILABLE"),
    "groq size": (
        413,
        nested("Request too large for model x", type="tokens", code="rate_limit_exceeded"),
        "PROVIDER_RATE_LIMITED",
    ),
    "groq call": (400, nested("Failed to call a function.", code="tool_use_failed"), "PROVIDER_BAD_RESPONSE"),
    "groq model": (
        400,
        nested("The model `x` has been decommissioned", code="model_decommissioned"),
        "MODEL_NOT_FOUND",
    ),
    "groq capacity": (498, nested("Flex tier capacity exceeded"), "PROVIDER_UNAVAILABLE"),
    "openrouter credits": (402, nested("This request requires more credits", code=402), "PROVIDER_QUOTA_EXCEEDED"),
    "openrouter moderation": (
        403,
        nested('x requires moderation. Your input was flagged for "y"', code=403),
        "CONTENT_FILTERED",
    ),
    "openrouter tools": (404, nested("No endpoints found that support tool use.", code=404), "CAPABILITY_MISSING"),
    "openrouter model": (404, nested("No endpoints found for x/y.", code=404), "MODEL_NOT_FOUND"),
    "openrouter relay": (
        400,
        nested(
            "Provider returned error",
            code=400,
            metadata={"raw": '{"error":{"message":"maximum context length is 10"}}', "provider_name": "X"},
        ),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "mistral key": (401, {"detail": "Unauthorized"}, "PROVIDER_AUTH_FAILED"),
    "mistral model": (
        400,
        {"object": "error", "message": "Invalid model: x", "type": "invalid_model", "code": "1500"},
        "MODEL_NOT_FOUND",
    ),
    "mistral capacity": (
        429,
        {"object": "error", "message": "Service tier capacity exceeded for this model.", "code": "3505"},
        "PROVIDER_RATE_LIMITED",
    ),
    "mistral request": (
        422,
        {"object": "error", "message": {"detail": [{"type": "missing", "msg": "Field required"}]}},
        "PROVIDER_BAD_REQUEST",
    ),
    "vllm context": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens.",
            "type": "BadRequestError",
        },
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "vllm model": (
        404,
        {"object": "error", "message": "The model `x` does not exist.", "code": 404},
        "MODEL_NOT_FOUND",
    ),
    "vllm tools": (
        400,
        nested('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        "CAPABILITY_MISSING",
    ),
    "llama.cpp context": (
        400,
        nested("the request exceeds the available context size", type="exceed_context_size_error", n_ctx=4096),
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "llama.cpp loading": (503, nested("Loading model", type="unavailable_error", code=503), "PROVIDER_UNAVAILABLE"),
    "llama.cpp unsupported": (
        501,
        nested("This server does not do it", type="not_supported_error"),
        "CAPABILITY_MISSING",
    ),
    "llama.cpp picture": (500, nested("image input is not supported - hint: mmproj"), "CAPABILITY_MISSING"),
    "lm studio context": (
        400,
        {"error": "The model is loaded with context length of only 4096"},
        "CONTEXT_LENGTH_EXCEEDED",
    ),
    "litellm budget": (400, nested("Budget has been exceeded!", type="budget_exceeded"), "PROVIDER_QUOTA_EXCEEDED"),
    "xai credits": (403, {"code": "x", "error": "Your team has used all available credits"}, "PROVIDER_QUOTA_EXCEEDED"),
    "xai key": (
        400,
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided"},
        "PROVIDER_AUTH_FAILED",
    ),
    "siliconflow balance": (
        403,
        {"code": 30001, "message": "Sorry, your account balance is insufficient"},
        "PROVIDER_QUOTA_EXCEEDED",
    ),
    "cloudflare": (524, None, "PROVIDER_TIMEOUT"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal_has_its_code(name: str) -> None:
    status, payload, code = REFUSALS[name]

    assert failure_of(status, json.dumps(payload).encode(), {}, now=CLOCK.now()).code == code


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"error": {"code": "rate_limit_exceeded", "message": "m"}}, "PROVIDER_RATE_LIMITED"),
        ({"error": {"code": "1301", "message": "m"}}, "CONTENT_FILTERED"),
        ({"error": {"code": 429, "message": "m"}, "choices": []}, "PROVIDER_RATE_LIMITED"),
        ({"error": "insufficient balance"}, "PROVIDER_QUOTA_EXCEEDED"),
        ({"object": "error", "message": "maximum context length", "code": 40303}, "CONTEXT_LENGTH_EXCEEDED"),
        ([{"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}], "PROVIDER_UNAVAILABLE"),
        ({"choices": [{"delta": {}, "finish_reason": "network_error"}]}, "PROVIDER_UNAVAILABLE"),
        ({"choices": [{"delta": {}, "finish_reason": "insufficient_system_resource"}]}, "PROVIDER_UNAVAILABLE"),
        ({"error": {"code": {}, "type": [], "message": 5}}, "PROVIDER_UNAVAILABLE"),
    ],
)
def test_failure_within_a_stream_has_its_code(payload: Any, code: str) -> None:
    failure = failure_reported(payload)

    assert failure is not None
    assert failure.code == code


@pytest.mark.parametrize(
    ("payload", "wait_s"),
    [
        (nested("Please try again in 20s."), 20),
        (nested("Please try again in 7m12.5s. Visit us."), 432.5),
        (nested("Please try again in 120ms."), 0.12),
        (nested("Please retry after 20 seconds."), 20),
        (google(429, "RESOURCE_EXHAUSTED", "m", {"@type": "x"}, {"retryDelay": "35s"}), 35),
        (nested("Please try again in a moment."), None),
        (nested("m"), None),
    ],
)
def test_wait_may_be_told_in_the_body(payload: Any, wait_s: float | None) -> None:
    body = json.dumps(payload).encode()

    assert failure_of(429, body, {}, now=CLOCK.now()).retry_after_s == wait_s
    assert failure_of(429, body, {"retry-after": "3"}, now=CLOCK.now()).retry_after_s == 3


def test_words_of_a_server_behind_a_proxy_are_told() -> None:
    payload = nested("Provider returned error", metadata={"raw": "upstream is on fire"})

    assert "upstream is on fire" in failure_of(502, json.dumps(payload).encode(), {}, now=CLOCK.now()).message


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, b"Prompt is too long for the context window", "CONTEXT_LENGTH_EXCEEDED"),
        (400, b"<html>context length</html>", "PROVIDER_BAD_REQUEST"),
        (400, b'event: error\ndata: {"error": {"code": "insufficient_quota"}}\n\n', "PROVIDER_QUOTA_EXCEEDED"),
        (429, b"slow down", "PROVIDER_RATE_LIMITED"),
        (503, b"", "PROVIDER_UNAVAILABLE"),
    ],
)
def test_body_that_is_not_json_is_gone_by_and_not_quoted(status: int, body: bytes, code: str) -> None:
    failure = failure_of(status, body, {"retry-after": "3"}, now=CLOCK.now())

    assert (failure.code, failure.upstream_status, failure.retry_after_s) == (code, status, 3)
    assert failure.message == str(failure.text)


@pytest.mark.parametrize(
    ("said", "told"), [("overloaded", "overloaded."), ("Slow down!", "Slow down!"), ("忙。", "忙。")]
)
def test_what_a_server_said_ends_as_a_sentence(said: str, told: str) -> None:
    failure = failure_of(503, json.dumps(nested(said)).encode(), {}, now=CLOCK.now())
    assert str(failure).endswith(f" says: {told}")
