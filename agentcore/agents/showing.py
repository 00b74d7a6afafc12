"""What a run shows and keeps: free of secrets, and the same on screen, in the rows and in the next model call."""

from collections.abc import Sequence
from dataclasses import replace

from agentcore.agents.journal import Journal, Outcome
from agentcore.events import EventType
from agentcore.messages import (
    Content,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    TextContent,
)
from agentcore.redaction import Redactor


def shown_message(message: Message, redactor: Redactor) -> Message:
    """``message`` without secrets: words lose the stored credentials only, what goes in and out of tools all."""
    return replace(message, contents=tuple(shown_content(content, redactor) for content in message.contents))


def shown_content(content: Content, redactor: Redactor) -> Content:
    match content:
        case TextContent():
            return replace(content, text=redactor.without_credentials(content.text))
        case ReasoningContent():
            return _shown_thinking(content, redactor)
        case FunctionCallContent():
            return replace(content, arguments=redactor.redact(content.arguments))
        case FunctionResultContent():
            return replace(content, result=redactor.redact(content.result), error=redactor.redact(content.error))
        case _:
            return content


def _shown_thinking(content: ReasoningContent, redactor: Redactor) -> ReasoningContent:
    """Its token may hold the same words again; one that does cannot be cut, and so it goes."""
    opaque = content.opaque
    is_clean = opaque is None or redactor.without_credentials(opaque) == opaque
    return replace(content, text=redactor.without_credentials(content.text), opaque=opaque if is_clean else None)


def shown_outcome(outcome: Outcome, redactor: Redactor) -> Outcome:
    """``outcome`` without secrets, whoever reads it: the model, the person, the rows, the audit."""
    result = outcome.result
    return replace(
        outcome,
        result=replace(result, result=redactor.redact(result.result), error=redactor.redact(result.error)),
        for_ui=redactor.redact(outcome.for_ui),
        invalidates=tuple(map(redactor.redact_text, outcome.invalidates)),
        detail=redactor.redact_text(outcome.detail),
    )


def announce(journal: Journal, message: Message) -> None:
    """Show a text of ours as if a model had written it."""
    journal.emit(EventType.TEXT_DELTA, {"message_id": message.id, "text": message.text})
    show_whole(journal, message)


def show_whole(journal: Journal, message: Message) -> None:
    journal.emit(EventType.MESSAGE_COMPLETED, {"message_id": message.id, "text": message.text})


def let_stand(journal: Journal, output: list[Message], answer: Sequence[Message], *, is_whole: bool) -> None:
    """Make ``output`` what the run layers answered, and show where that is not what was shown.

    A layer that saw the whole answer decides what stands of it: a text that it left out is void. The calls stay: they
    happened. One that answers for a failure adds to what was said until then.
    """
    said = {message.id: message for message in output}
    kept = {message.id for message in answer}
    left = [message for message in output if message.id not in kept]
    if is_whole:
        left = [standing for message in left if (standing := _void(journal, message)).contents]
    for message in answer:
        _correct(journal, message, said.get(message.id))
    output[:] = [*left, *answer]


def _void(journal: Journal, message: Message) -> Message:
    tools = FunctionCallContent | FunctionResultContent
    standing = replace(message, contents=tuple(item for item in message.contents if isinstance(item, tools)))
    if message.text:
        show_whole(journal, standing)
    return standing


def _correct(journal: Journal, message: Message, before: Message | None) -> None:
    if message.role is not Role.ASSISTANT or message.text == (before.text if before else ""):
        return
    if before is None:
        announce(journal, message)
    else:
        show_whole(journal, message)
