"""What upstreams call their failures, gathered from the error pages of the providers and from what servers send.

``LABELS`` are codes and types, each the whole of one; they say more than a status. ``WORDS`` stand somewhere in the
upstream's own sentence, which is read only where no label says it. In both the first that fits wins.
"""

import re

from agentcore.errors import (
    CapabilityMissing,
    ContentFiltered,
    ContextLengthExceeded,
    ModelNotFound,
    ProviderAuthFailed,
    ProviderBadRequest,
    ProviderBadResponse,
    ProviderError,
    ProviderQuotaExceeded,
    ProviderRateLimited,
    ProviderTimeout,
    ProviderUnavailable,
)

Kinds = list[tuple[type[ProviderError], re.Pattern[str]]]


def _kinds(table: list[tuple[type[ProviderError], str]]) -> Kinds:
    return [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in table]


# The numbers are Zhipu's: https://docs.bigmodel.cn/cn/api/api-code
LABELS = _kinds(
    [
        (
            ContextLengthExceeded,
            r"context_length_exceeded|exceed_context_size_error|context_?window_?exceeded(?:_?error)?"
            r"|string_above_max_length|model_max_prompt_tokens_exceeded|1261",
        ),
        (
            ContentFiltered,
            r"content_filter(?:ed)?(?:_error)?|content_?policy_?violation(?:_?error)?|responsibleaipolicyviolation"
            r"|data_?inspection_?failed|moderation_blocked|sensitivecontentdetected.*|1301",
        ),
        (
            ProviderQuotaExceeded,
            r"insufficient_(?:user_)?(?:quota|balance|credits?|funds)|(?:exceeded_current_)?quota(?:_?exceeded)?(?:_error)?"
            r"|billing_(?:hard_limit_reached|not_active|error)|arrearage|p(?:re|ost)paidbilloverdue|accountoverdueerror"
            r"|allocationquota\.freetieronly|budget_exceeded|credit_limit|usage_limit_reached|1113|1304|1308|1309|1310",
        ),
        (
            ProviderRateLimited,
            r"rate_?limit(?:_?exceeded.*|_?reached)?(?:_?error)?|throttling(?:\..*|exception)?|too_?many_?requests(?:_?error)?"
            r"|limit_(?:requests|tokens|burst_rate)|resource_?exhausted|1302|1303|1305",
        ),
        (
            ProviderAuthFailed,
            r"(?:invalid|incorrect|missing)_?api_?key(?:_?error)?|api_key_invalid|(?:invalid_)?authentication_?error"
            r"|unauthenticated|unauthorized|permission_?denied(?:_?error)?|permission_error|access_?denied"
            r"|account_deactivated|access_terminated(?:_error)?",
        ),
        (
            ModelNotFound,
            r"model_?not_?found(?:_?error)?|model\.notfound|invalid_model|model_decommissioned|modelnotopen"
            r"|invalidendpointormodel.*|deploymentnotfound|1211",
        ),
        (CapabilityMissing, r"not_supported_error|model_not_supported|1212"),
        # The model wrote a call, or JSON, that its own server could not read.
        (ProviderBadResponse, r"tool_use_failed|json_validate_failed"),
        (
            ProviderUnavailable,
            r"(?:engine_|server_?)?overloaded(?:_?error)?|server_is_overloaded|slow_down|unavailable|1312",
        ),
        (ProviderTimeout, r"timeout(?:_error)?|request_timeout|gateway_timeout|deadline_exceeded"),
        (ProviderBadRequest, r"unsupported_(?:parameter|value)|unknown_parameter|missing_required_parameter"),
    ]
)

WORDS = _kinds(
    [
        (
            ContextLengthExceeded,
            r"context[ _]?length|context[ _]size|context[ _]?window|maximum context|context limit|prompt is too long"
            r"|exceed_context|too many (?:input )?tokens|input is too long|max_prompt_tokens|model token limit"
            r"|input token (?:count|length)|maximum number of tokens|range of input length|prompt ?超长",
        ),
        (
            ContentFiltered,
            r"content[ _]?filter|content[ _]?(?:policy|management)|responsibleai|data_?inspection|input was flagged"
            r"|flagged as potentially violating|considered high risk|inappropriate content|不安全或敏感",
        ),
        (ProviderAuthFailed, r"(?:incorrect|invalid) api[ _-]?key|api key not valid"),
        (
            ProviderQuotaExceeded,
            r"insufficient[ _](?:user[ _])?(?:quota|balance|credit|funds)|exceeded your current quota|credit balance"
            r"|quota[ _]exhausted|out of credits|requires more credits|balance is (?:insufficient|not enough)"
            r"|used all available credits|spending limit|free tier .{0,40}exhausted|budget has been exceeded"
            r"|欠费|余额不足|billing details|billing hard limit|account is not active",
        ),
        (
            CapabilityMissing,
            r"\b(?:not|that) support (?:tools?\b|tool (?:use|call)|function call|images?\b|image input|vision|thinking)"
            r"|missing data required for image|(?:image input|tool calling|function calling) is not supported"
            r"|requires --(?:jinja|enable-auto-tool-choice)",
        ),
        (
            ModelNotFound,
            r"model_not_found|models? not found|invalid model\b|unknown model|no such model|not found the model"
            r"|no models? loaded|model not exist|no endpoints found for|模型不存在"
            r"|models?\b.{0,80}\b(?:does not exist|not found|is not found|has been decommissioned)"
            r"|\bmodel [^ ]{1,80} is not supported",
        ),
    ]
)

# In a stream no status says it.
STREAM_WORDS = WORDS + _kinds(
    [
        (ProviderRateLimited, r"rate[ _-]?limit|too many requests"),
        (ProviderAuthFailed, r"authentication|permission_error"),
        (ModelNotFound, r"not_found_error"),
        (ProviderBadRequest, r"invalid_?(?:request|argument|parameter)|bad_?request|request_too_large"),
        (ProviderTimeout, r"timeout|timed out"),
    ]
)
# A wait that is told in words: "try again in 7m12.5s", "Please retry in 35.4s", "try again in 120ms".
WAIT = re.compile(
    r"(?:try again|retry) (?:in|after) (?:(\d{1,3})h)?(?:(\d{1,5})m(?!s))?"
    r"(?:(\d{1,6}(?:\.\d{1,9})?) ?s)?(?:(\d{1,6}(?:\.\d{1,9})?)ms)?",
    re.IGNORECASE,
)
# Reasons to finish that are failures.
FAILED_FINISHES = frozenset({"error", "network_error", "insufficient_system_resource", "abort"})
