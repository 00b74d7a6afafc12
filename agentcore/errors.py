"""Every failure that has a name outside, as one tree.

    AgentError
    ├── ApiError                     a request that is refused
    │   ├── ValidationFailed · NotAuthenticated · Forbidden · NotFound · Conflict · PayloadTooLarge
    │   └── MethodNotAllowed
    ├── ControlError                 a limit or a rule that said no
    │   ├── RateLimited · TooManyRuns · BudgetExceeded · GuardrailBlocked · AuditUnavailable
    │   └── PermissionDenied · PermissionExpired · PermissionAlreadyDecided
    ├── RunError                     a run that ended badly
    │   └── RunTimeout · RunTokenBudgetExceeded · AgentProcessRestarted · ConversationBusy · InternalError
    ├── ToolError                    a call whose result is a failure that the model reads
    │   └── ToolNotFound · ToolArgumentsInvalid · ToolTimeout · ToolFailed
    └── ProviderError                an upstream that did not answer as it should
        ├── ProviderCredentialMissing · ProviderAuthFailed · ProviderRateLimited · ProviderQuotaExceeded
        ├── ProviderTimeout · ProviderUnavailable · ProviderBadResponse · ProviderBadRequest
        ├── ModelNotFound · ContextLengthExceeded · ContentFiltered · OutputTruncated
        └── CapabilityMissing · ProviderUrlForbidden

``code`` is stable and part of the contract; ``message`` is for a person, in their language; ``details`` is JSON
for a program. None of them ever holds a secret or an upstream's raw body.
"""

from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from agentcore.text import clean_text


class AgentError(Exception):
    """A failure with a stable code.

    ``status`` is the HTTP status where it refuses a request; ``retryable`` says whether the same attempt may
    succeed later.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    text: ClassVar[Any] = _("Something went wrong on our side.")

    def __init__(self, message: str | None = None, *, details: Any = None, retry_after_s: float | None = None) -> None:
        # An upstream may have written a part of it.
        self.message = clean_text(str(message if message is not None else self.text))
        self.details = details
        self.retry_after_s = retry_after_s
        super().__init__(self.message)

    def as_json(self) -> dict[str, str]:
        """``{code, message}``: the shape of an error in events, rows and results."""
        return {"code": self.code, "message": self.message}


class ApiError(AgentError):
    """A request that is refused before anything was made."""


class ValidationFailed(ApiError):
    code, status = "VALIDATION_ERROR", 400
    text = _("The request is not valid.")


class NotAuthenticated(ApiError):
    code, status = "NOT_AUTHENTICATED", 401
    text = _("Please log in.")


class Forbidden(ApiError):
    code, status = "FORBIDDEN", 403
    text = _("You may not do this.")


class NotFound(ApiError):
    """Unknown, disabled, or not yours; all alike."""

    code, status = "NOT_FOUND", 404
    text = _("There is no such thing here.")


class MethodNotAllowed(ApiError):
    code, status = "VALIDATION_ERROR", 405
    text = _("This address does not know that method.")


class Conflict(ApiError):
    code, status = "CONFLICT", 409
    text = _("This contradicts what was stored before.")


class PayloadTooLarge(ApiError):
    code, status = "PAYLOAD_TOO_LARGE", 413
    text = _("That is too long.")


class ControlError(AgentError):
    """A limit or a rule that said no."""


class RateLimited(ControlError):
    code, status, retryable = "RATE_LIMITED", 429, True
    text = _("Too many requests. Please wait a moment.")


class TooManyRuns(ControlError):
    code, status, retryable = "TOO_MANY_RUNS", 429, True
    text = _("Too many answers are being written at once. Please wait for one to end.")


class BudgetExceeded(ControlError):
    code, status = "BUDGET_EXCEEDED", 429
    text = _("The budget for this is used up.")


class GuardrailBlocked(ControlError):
    code, status = "GUARDRAIL_BLOCKED", 400
    text = _("This was blocked by a rule of this site.")


class AuditUnavailable(ControlError):
    code, status = "AUDIT_UNAVAILABLE", 503
    text = _("The record cannot be written, so the action was not carried out.")


class PermissionDenied(ControlError):
    code, status = "PERMISSION_DENIED", 403
    text = _("This action was not allowed.")


class PermissionExpired(ControlError):
    code, status = "PERMISSION_EXPIRED", 409
    text = _("Nobody decided in time, so the action was not carried out.")


class PermissionAlreadyDecided(ControlError):
    code, status = "PERMISSION_ALREADY_DECIDED", 409
    text = _("This was decided before.")


class RunError(AgentError):
    """A run that ended badly, or could not begin."""


class RunTimeout(RunError):
    code, status = "RUN_TIMEOUT", 504
    text = _("The answer took too long and was ended.")


class RunTokenBudgetExceeded(RunError):
    code, status = "RUN_TOKEN_BUDGET_EXCEEDED", 429
    text = _("The answer used up its tokens and was ended.")


class AgentProcessRestarted(RunError):
    code, status = "AGENT_PROCESS_RESTARTED", 503
    text = _("The server was restarted in the middle of this answer. What was written so far is kept.")


class ConversationBusy(RunError):
    code, status = "CONVERSATION_BUSY", 409
    text = _("An answer is still being written in this conversation. Stop it or wait for it.")


class InternalError(RunError):
    code, status = "INTERNAL_ERROR", 500


class ToolError(AgentError):
    """A tool call that failed; the model reads ``code`` and ``message``, never more."""

    status = 422


class ToolNotFound(ToolError):
    code = "TOOL_NOT_FOUND"
    text = _("There is no such tool.")


class ToolArgumentsInvalid(ToolError):
    """``details`` is a list of ``{"path", "problem"}``; neither holds the value that was sent."""

    code = "TOOL_ARGUMENTS_INVALID"
    text = _("The arguments do not fit the tool.")


class ToolTimeout(ToolError):
    code = "TOOL_TIMEOUT"
    text = _("The tool took too long.")


class ToolFailed(ToolError):
    code = "TOOL_FAILED"
    text = _("The tool failed.")


class ProviderError(AgentError):
    """An upstream that did not answer as it should.

    ``upstream_status`` is its HTTP status, where there was one.
    """

    status = 502

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Any = None,
        retry_after_s: float | None = None,
        upstream_status: int | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_s=retry_after_s)
        self.upstream_status = upstream_status


class ProviderCredentialMissing(ProviderError):
    code, status = "PROVIDER_CREDENTIAL_MISSING", 409
    text = _("No key is stored for this provider. An admin can add it under Credentials.")


class ProviderAuthFailed(ProviderError):
    code = "PROVIDER_AUTH_FAILED"
    text = _("The provider refused our key. An admin can replace it under Credentials.")


class ProviderRateLimited(ProviderError):
    code, retryable = "PROVIDER_RATE_LIMITED", True
    text = _("The provider is receiving too many requests. Please try again in a moment.")


class ProviderQuotaExceeded(ProviderError):
    code = "PROVIDER_QUOTA_EXCEEDED"
    text = _("The account at the provider is used up.")


class ProviderTimeout(ProviderError):
    code, retryable = "PROVIDER_TIMEOUT", True
    text = _("The provider did not answer in time.")


class ProviderUnavailable(ProviderError):
    code, retryable = "PROVIDER_UNAVAILABLE", True
    text = _("The provider cannot be reached or is overloaded.")


class ProviderBadResponse(ProviderError):
    code, retryable = "PROVIDER_BAD_RESPONSE", True
    text = _("The provider's answer was cut off or could not be understood.")


class ProviderBadRequest(ProviderError):
    code = "PROVIDER_BAD_REQUEST"
    text = _("The provider refused the request.")


class ModelNotFound(ProviderError):
    code = "MODEL_NOT_FOUND"
    text = _("The provider does not know this model.")


class ContextLengthExceeded(ProviderError):
    code = "CONTEXT_LENGTH_EXCEEDED"
    text = _("The conversation is too long for this model.")


class ContentFiltered(ProviderError):
    code = "CONTENT_FILTERED"
    text = _("The provider refused to answer this.")


class OutputTruncated(ProviderError):
    """A tool call was cut off by the output limit: nothing of it runs."""

    code = "OUTPUT_TRUNCATED"
    text = _("The answer reached the output limit in the middle of an action, so nothing was carried out.")


class CapabilityMissing(ProviderError):
    code = "CAPABILITY_MISSING"
    text = _("This model cannot do what was asked of it.")


class ProviderUrlForbidden(ProviderError):
    code = "PROVIDER_URL_FORBIDDEN"
    text = _("This site does not allow connections to that address.")


def _leaves(kind: type[AgentError]) -> list[type[AgentError]]:
    return [kind, *(leaf for child in kind.__subclasses__() for leaf in _leaves(child))]


BY_CODE: dict[str, type[AgentError]] = {
    kind.code: kind for kind in _leaves(AgentError) if "code" in vars(kind) and kind is not MethodNotAllowed
}


def error_from(code: str, message: str | None = None) -> AgentError:
    """The error of a stable code; an unknown code is an ``InternalError``."""
    return BY_CODE.get(code, InternalError)(message)


def error_of(exception: BaseException) -> AgentError:
    """``exception`` as one of the tree: itself, or an ``InternalError`` that tells nothing of it."""
    return exception if isinstance(exception, AgentError) else InternalError()
