"""The words of the drawer: browser code has none of its own, it gets these with the page."""

from django.utils.translation import gettext as _

from agentcore.rerouting import route_texts


def drawer_texts() -> dict[str, str]:
    """Every text of ``static/conversations/*.js`` by its key, in the active language."""
    return _frame() | _models() | _answer() | _routes() | _tools() | _errors() | _advice()


def _frame() -> dict[str, str]:
    return {
        "launch": _("Ask {agent}"),
        "subtitle": _("It can be wrong. Check what matters."),
        "open_page": _("Open as a page"),
        "close": _("Close"),
        "conversation": _("Conversation"),
        "conversations": _("Conversations"),
        "close_list": _("Close the list"),
        "new_conversation": _("New conversation"),
        "no_conversations": _("Nothing here yet. What you talk about is kept, so that you can come back to it."),
        "untitled": _("Untitled conversation"),
        "hello": _("Hello. Where shall we start?"),
        "hello_name": _("Hello, {name}. Where shall we start?"),
        "empty_hint": _("Ask {agent} a question, or try one of these."),
        "empty_hint_alone": _("Ask {agent} a question."),
        "suggestions": _("Suggestions"),
        "placeholder": _("Message {agent}"),
        "composer_hint": _("Enter sends, Shift + Enter begins a new line"),
        "too_long": _("{n} characters are too many: {max} fit. Make it shorter, or send it in parts."),
        "send": _("Send"),
        "stop": _("Stop"),
        "stopping": _("Stopping…"),
        "stopping_later": _("Stopping when the connection is back…"),
        "new_text": _("New text"),
        "connecting": _("Connecting…"),
        "reconnecting": _("Reconnecting…"),
        "logged_out": _("You are logged out. Log in again to go on; nothing is lost."),
        "log_in": _("Log in"),
    }


def _models() -> dict[str, str]:
    return {
        "model": _("Model"),
        "default_model": _("Default model"),
        "default_named": _("{model} (default)"),
        "model_unavailable": _("{model} (not available)"),
        "model_of": _("{model} ({provider})"),
        "lacks_tools": _("no tools"),
        "lacks_images": _("no pictures"),
        "offline_title": _("This is the offline demo model"),
        "offline_text": _("It understands nothing: it repeats what you write, and calls tools as a script says."),
        "offline_hint": _("Offline demo model: it repeats what you write and follows scripts."),
        "offline_connect": _("Connect a real model"),
        "offline_ask_admin": _("An administrator can connect a real one."),
    }


def _answer() -> dict[str, str]:
    return {
        "you": _("You"),
        "answer": _("Answer"),
        "user_sending": _("Sending…"),
        "user_failed": _("Not sent"),
        "working": _("Working on it…"),
        "answer_done": _("The answer is complete."),
        "thinking": _("Thinking…"),
        "reasoning": _("How it thought"),
        "stopped": _("You stopped this answer."),
        "stopped_elsewhere": _("This answer was stopped."),
        "cut_off": _("The answer reached its length limit. Ask it to go on to read the rest."),
        "rate_up": _("Good answer"),
        "rate_down": _("Bad answer"),
        "rate_noted": _("Thank you, noted."),
        "copy": _("Copy"),
        "copy_answer": _("Copy the answer"),
        "copy_code": _("Copy the code"),
        "copied": _("Copied"),
        "copy_failed": _("Could not copy. Select the text and copy it by hand."),
        "code": _("Code"),
        "table": _("Table"),
        "image": _("Image"),
        "image_removed": _("[image: {name}]"),
        "sources": _("Sources"),
        "tokens": _("{input} tokens in, {output} out"),
        "seconds": _("{n} s"),
        "milliseconds": _("{n} ms"),
        "try_again": _("Try again"),
        "try_with": _("Try with {model}"),
        "notice_resumed": _("The server was interrupted and has taken this answer up again."),
        "notice_guardrail": _("A safety rule stepped in. {message}"),
        "notice_compacted": _("Older parts of this conversation were summarised to make room."),
    }


def _routes() -> dict[str, str]:
    return {f"route_{key}": sentence for key, sentence in route_texts().items()}


def _tools() -> dict[str, str]:
    return {
        "tool_running": _("Running"),
        "tool_waiting": _("Waiting for permission"),
        "tool_done": _("Done"),
        "tool_failed": _("Failed"),
        "tool_denied": _("Not allowed"),
        "tool_cancelled": _("Cancelled"),
        "tool_unknown": _("Outcome unknown"),
        "tool_unknown_note": _("This was cut off. It may or may not have happened: check before you do it again."),
        "tool_no_details": _("No further details."),
        "arguments": _("Input"),
        "result": _("Result"),
    }


def _errors() -> dict[str, str]:
    """What happened, for each code of the contract that comes without words of its own."""
    sentences = {
        "PROVIDER_CREDENTIAL_MISSING": _("No key is set for this model."),
        "PROVIDER_AUTH_FAILED": _("The model's provider refused the key."),
        "PROVIDER_RATE_LIMITED": _("The model's provider gets too many requests right now."),
        "PROVIDER_QUOTA_EXCEEDED": _("The quota at the model's provider is used up."),
        "PROVIDER_TIMEOUT": _("The model did not answer in time."),
        "PROVIDER_UNAVAILABLE": _("The model cannot be reached."),
        "PROVIDER_BAD_RESPONSE": _("The model's answer could not be read."),
        "PROVIDER_BAD_REQUEST": _("The model's provider refused the request."),
        "PROVIDER_URL_FORBIDDEN": _("The address of this model is not allowed."),
        "MODEL_NOT_FOUND": _("This model does not exist any more."),
        "CONTEXT_LENGTH_EXCEEDED": _("This conversation has become too long for the model."),
        "CONTENT_FILTERED": _("The model's provider blocked this content."),
        "OUTPUT_TRUNCATED": _("The answer was cut off before it was complete, so nothing of it was carried out."),
        "CAPABILITY_MISSING": _("This model cannot do what the request needs."),
        "RUN_TIMEOUT": _("This took longer than is allowed."),
        "RUN_TOKEN_BUDGET_EXCEEDED": _("This answer used up its token budget."),
        "AGENT_PROCESS_RESTARTED": _("The server was restarted in the middle of this answer."),
        "CONVERSATION_BUSY": _("An answer is still being written in this conversation."),
        "INTERNAL_ERROR": _("Something went wrong on our side."),
        "BUDGET_EXCEEDED": _("The budget for this assistant is used up."),
        "RATE_LIMITED": _("That was a lot of messages in a short time."),
        "TOO_MANY_RUNS": _("Too many answers are being written at once."),
        "GUARDRAIL_BLOCKED": _("A safety rule blocked this message."),
        "PERMISSION_DENIED": _("This was not allowed."),
        "PERMISSION_EXPIRED": _("Nobody answered the request for permission in time."),
        "PERMISSION_ALREADY_DECIDED": _("This request was already decided."),
        "AUDIT_UNAVAILABLE": _("What the assistant does cannot be recorded right now, so it did nothing."),
        "TOOL_NOT_FOUND": _("There is no such tool."),
        "TOOL_ARGUMENTS_INVALID": _("The tool was called with wrong input."),
        "TOOL_TIMEOUT": _("The tool took too long."),
        "TOOL_FAILED": _("The tool failed."),
        "VALIDATION_ERROR": _("This message cannot be sent as it is."),
        "NOT_AUTHENTICATED": _("You are logged out."),
        "FORBIDDEN": _("You may not do this."),
        "NOT_FOUND": _("This is gone, or it was never yours to see."),
        "CONFLICT": _("This was already sent with other words."),
        "PAYLOAD_TOO_LARGE": _("This message is too long."),
    }
    return {f"error_{code}": sentence for code, sentence in sentences.items()}


def _advice() -> dict[str, str]:
    return {
        "advice_again": _("Try again for the whole answer."),
        "advice_again_or_admin": _("Try again. If it happens again, tell your administrator."),
        "advice_again_or_other_model": _("Try again, or choose another model."),
        "advice_other_model": _("Choose another model."),
        "advice_other_model_or_admin": _("Choose another model, or tell your administrator."),
        "advice_wait": _("Wait a moment, then try again."),
        "advice_wait_or_stop": _("Wait until it is complete, or stop it."),
        "advice_wait_or_other_model": _("Wait a moment, or choose another model."),
        "advice_new_conversation": _("Begin a new conversation."),
        "advice_rephrase": _("Say it in other words."),
        "advice_shorten": _("Make it shorter, or send it in parts."),
        "advice_smaller_steps": _("Ask for it in smaller steps."),
        "advice_check": _("Check what you wrote and send it again."),
        "advice_admin": _("Ask your administrator."),
        "advice_log_in": _("Log in again."),
    }
