"""Ollama's own wire: what is sent is what its documentation asks for, and every way that it answers is understood."""

import json
from typing import Any

import pytest

from agentcore.chat import (
    ChatOptions,
    ChatRequest,
    Finish,
    FinishReason,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolChoice,
    ToolSchema,
)
from agentcore.errors import (
    CapabilityMissing,
    ContextLengthExceeded,
    ModelNotFound,
    ProviderBadResponse,
    ProviderError,
    ProviderUnavailable,
)
from agentcore.messages import (
    CallStatus,
    DataContent,
    FunctionCallContent,
    FunctionResultContent,
    Message,
    ReasoningContent,
    Role,
    Source,
    TextContent,
    UriContent,
    Usage,
)
from agentcore.providers.dialects.ollama import OLLAMA, models
from agentcore.providers.failures import failure_of
from agentcore.providers.profile import ModelProfile, Replay, Target
from agentcore.testing import ManualClock
from tests.contracts.wires_ollama import line
from tests.fake_upstream import Answer
from tests.reading import decoded, outcome

HELLO = Message.of(Role.USER, "hello")
ADD = ToolSchema(name="math.add", description="Adds.", parameters={"type": "object", "properties": {}})


def sent(
    *messages: Message,
    options: dict[str, Any] | None = None,
    profile: ModelProfile | None = None,
    asked: ChatOptions | None = None,
    tools: tuple[ToolSchema, ...] = (),
) -> dict[str, Any]:
    request = ChatRequest(model="m", messages=messages or (HELLO,), options=asked or ChatOptions(), tools=tools)
    return OLLAMA.encode(request, Target(profile=profile or ModelProfile(), options=options or {}))


def test_a_plain_request_holds_nothing_that_was_not_asked_for() -> None:
    assert sent() == {"model": "m", "messages": [{"role": "user", "content": "hello"}], "stream": True}


def test_limits_are_options_and_those_of_the_provider_are_laid_over() -> None:
    asked = ChatOptions(max_output_tokens=9, temperature=0.5)
    body = {"options": {"num_ctx": 16384, "temperature": 0.1, "num_predict": None}, "keep_alive": "1h", "stream": None}

    assert sent(asked=asked)["options"] == {"num_predict": 9, "temperature": 0.5}
    assert sent(asked=asked, options={"body": body}) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "options": {"num_ctx": 16384, "temperature": 0.1},
        "keep_alive": "1h",
    }


def test_only_a_model_that_thinks_is_told_to() -> None:
    assert "think" not in sent()
    assert sent(profile=ModelProfile(reasoning=True))["think"] is True


def test_an_answer_can_be_bound_to_a_schema() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}

    assert sent(asked=ChatOptions(response_schema=schema))["format"] == schema


@pytest.mark.parametrize("choice", ToolChoice)
def test_definitions_are_sent_and_no_choice_which_the_wire_does_not_know(choice: ToolChoice) -> None:
    body = sent(tools=(ADD,), asked=ChatOptions(tool_choice=choice))

    function = {"name": "math__add", "description": "Adds.", "parameters": ADD.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert "tool_choice" not in body


def test_pictures_travel_beside_the_text_and_nobody_opens_a_link() -> None:
    contents = (
        TextContent("see"),
        DataContent("aGk=", "image/png"),
        UriContent("https://example.com/secret.png", "image/png"),
        DataContent("JVBERi0=", "application/pdf"),
    )

    [message] = sent(Message(role=Role.USER, contents=contents))["messages"]

    assert message["images"] == ["aGk="]
    assert message["content"] == "see"
    assert "secret" not in str(message)


def test_calls_have_objects_and_results_their_name_and_id() -> None:
    calls = (TextContent("one moment"), FunctionCallContent("c1", "math.add", {"b": 2, "a": {"d": 1, "c": 2}}))
    results = (FunctionResultContent("c1", "math.add", {"sum": 3}),)
    failed = (FunctionResultContent("c2", "math.add", None, CallStatus.DENIED, {"code": "X", "message": "no"}),)

    _user, call, result, refused = sent(
        HELLO,
        Message(role=Role.ASSISTANT, contents=calls),
        Message(role=Role.TOOL, contents=results),
        Message(role=Role.TOOL, contents=failed),
    )["messages"]

    function = {"name": "math__add", "arguments": {"a": {"c": 2, "d": 1}, "b": 2}}
    assert call == {"role": "assistant", "content": "one moment", "tool_calls": [{"id": "c1", "function": function}]}
    assert json.dumps(call["tool_calls"][0]["function"]["arguments"]) == '{"a": {"c": 2, "d": 1}, "b": 2}'
    assert result == {"role": "tool", "tool_name": "math__add", "tool_call_id": "c1", "content": '{"sum":3}'}
    assert "denied" in refused["content"]


@pytest.mark.parametrize(
    ("replay", "wanted"),
    [(Replay.NEVER, [None, None]), (Replay.TOOLS, [None, "new"]), (Replay.ALWAYS, ["old", "new"])],
)
def test_thinking_is_sent_back_where_the_profile_wants_it(replay: Replay, wanted: list[str | None]) -> None:
    history = (
        HELLO,
        Message(role=Role.ASSISTANT, contents=(ReasoningContent("old"), TextContent("hi"))),
        Message.of(Role.USER, "more"),
        Message(role=Role.ASSISTANT, contents=(ReasoningContent("new"), FunctionCallContent("c", "f"))),
        Message(role=Role.TOOL, contents=(FunctionResultContent("c", "f", "x"),)),
        Message.of(Role.USER, "[context]", source=Source.CONTEXT_PROVIDER),
    )

    messages = sent(*history, profile=ModelProfile(replay_reasoning=replay))["messages"]

    assert [message.get("thinking") for message in messages if message["role"] == "assistant"] == wanted


def test_context_and_what_the_user_says_are_one_turn() -> None:
    context = Message.of(Role.USER, "[context]", source=Source.CONTEXT_PROVIDER)
    said = Message(role=Role.USER, contents=(TextContent("see"), DataContent("aGk=", "image/png")))

    assert sent(context, said)["messages"] == [{"role": "user", "content": "[context]\n\nsee", "images": ["aGk="]}]


def read(*pieces: bytes) -> list[Any]:
    return decoded(pieces, "ollama")


DONE = line(done=True, done_reason="stop", prompt_eval_count=12, eval_count=7)
USED = Usage(input_tokens=12, output_tokens=7)
STOP, CALLED = Finish(FinishReason.STOP), Finish(FinishReason.TOOL_CALLS)


def test_thinking_and_text_come_apart() -> None:
    body = line({"thinking": "hm"}) + line({"thinking": "m", "content": "a"}) + DONE

    assert read(body) == [ReasoningDelta("hm"), ReasoningDelta("m"), TextDelta("a"), STOP, USED]


WHOLE = {"message": {"content": "hi"}, "done": True, "prompt_eval_count": 12, "eval_count": 7}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(WHOLE).encode(),
        json.dumps(WHOLE, indent=2).encode(),
        json.dumps(WHOLE, indent=0).encode() + b"\n",
        b"\n\n" + json.dumps(WHOLE).encode() + b"\r\n\r\n",
        b"\xef\xbb\xbf" + json.dumps(WHOLE).encode() + b"\r",
        b"data: " + json.dumps(WHOLE).encode() + b"\n\ndata: [DONE]\n\n",
        b": hello\n\nevent: message\ndata: " + line({"content": "hi"}) + b"\ndata: " + DONE + b"\n",
        line({"content": "h"}) + b"\r\n" + line({"content": "i"}) + DONE.rstrip() + b" ",
    ],
)
def test_every_framing_of_an_answer_is_understood(body: bytes) -> None:
    *said, finish, usage = read(body)

    assert "".join(event.text for event in said) == "hi"
    assert (finish, usage) == (STOP, USED)


@pytest.mark.parametrize("body", [b"", b'{"mess', b"[]", b"[DONE]", b"null", b"{}\n{}\n", line({"content": "half"})])
def test_an_answer_that_never_says_it_is_done_is_not_whole(body: bytes) -> None:
    assert read(body)[-2][0] == "PROVIDER_BAD_RESPONSE"


def calls_of(*pieces: bytes) -> list[tuple[str, dict[str, Any]]]:
    return [(event.name, event.arguments) for event in read(*pieces) if isinstance(event, ToolCall)]


def test_calls_in_one_line_and_in_many_are_each_a_call() -> None:
    add = {"function": {"name": "add", "arguments": {"a": 1}}}

    assert calls_of(line({"tool_calls": [add, add]}), line({"tool_calls": [add]}), DONE) == [("add", {"a": 1})] * 3


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("", {}), (None, {}), ({}, {})],
)
def test_arguments_may_be_an_object_or_its_text(arguments: Any, wanted: dict[str, Any]) -> None:
    call = {"function": {"name": "add", "arguments": arguments}}

    assert calls_of(line({"tool_calls": [call]}), DONE) == [("add", wanted)]


@pytest.mark.parametrize("arguments", [[1], 7, "[1]", {"x": float("nan")}, {"x": float("inf")}])
def test_arguments_that_are_no_object_or_cannot_be_stored_run_nothing(arguments: Any) -> None:
    call = {"function": {"name": "add", "arguments": arguments}}

    assert read(line({"tool_calls": [call]}), DONE)[0][0] == "PROVIDER_BAD_RESPONSE"


async def test_ids_are_unique_in_a_conversation_and_kept_where_the_server_has_some() -> None:
    call = {"function": {"name": "add", "arguments": {}}}
    answer = Answer(writes=[line({"tool_calls": [call, call, call | {"id": "theirs"}, call | {"id": "theirs"}]}), DONE])
    heard = [(await outcome(answer, "ollama"))[0] for _turn in range(2)]

    ids = [event.call_id for events in heard for event in events if isinstance(event, ToolCall)]

    assert ids.count("theirs") == 2
    assert len({*ids}) == 7
    assert all(ids)


def test_a_call_is_told_apart_whatever_the_server_calls_its_end() -> None:
    call = line({"tool_calls": [{"id": "a", "function": {"name": "add", "arguments": {}}}]})

    assert read(call, DONE)[-2] == CALLED
    assert read(call, line(done=True))[-2] == CALLED
    assert read(call, line(done=True, done_reason="length"))[0][0] == "OUTPUT_TRUNCATED"


@pytest.mark.parametrize("reason", ["load", "unload"])
def test_a_model_that_was_only_loaded_has_not_answered(reason: str) -> None:
    assert read(line(done=True, done_reason=reason))[0][0] == "PROVIDER_BAD_RESPONSE"
    assert read(line({"content": "hi"}), line(done=True, done_reason=reason))[:2] == [TextDelta("hi"), STOP]


@pytest.mark.parametrize("counts", [{}, {"eval_count": 7}, {"prompt_eval_count": 0, "eval_count": 0}])
def test_counts_that_are_not_told_are_unknown_and_not_zero(counts: dict[str, int]) -> None:
    assert read(line({"content": "hi"}), line(done=True, **counts))[-1] is None


def test_what_follows_the_last_line_is_not_read() -> None:
    assert read(line({"content": "hi"}) + DONE + b'{"error": "late"}\n{"mess') == [TextDelta("hi"), STOP, USED]


SAID = [
    (404, "model 'llama9' not found, try pulling it first", ModelNotFound),
    (404, 'model "llama9" not found', ModelNotFound),
    (400, "registry.ollama.ai/library/gemma:latest does not support tools", CapabilityMissing),
    (400, '"gemma" does not support thinking', CapabilityMissing),
    (500, "this model is missing data required for image input", CapabilityMissing),
    (400, "the input length exceeds the context length", ContextLengthExceeded),
    (500, "llama runner process has terminated: signal: killed", ProviderUnavailable),
    (503, "server busy, please try again.  maximum pending requests exceeded", ProviderUnavailable),
]


@pytest.mark.parametrize(("status", "said", "kind"), SAID)
def test_its_words_for_what_went_wrong_are_known(status: int, said: str, kind: type[ProviderError]) -> None:
    body = json.dumps({"error": said}).encode()

    error = failure_of(status, body, {}, now=ManualClock().now())

    assert type(error) is kind
    assert said.split(",", maxsplit=1)[0][:40] in error.message
    assert read(line({"content": "a"}), body)[1][0] == kind.code


@pytest.mark.parametrize("message", ["tool_choice is not supported", "does not support tool_choice", "no support"])
def test_a_parameter_that_is_refused_is_no_missing_capability(message: str) -> None:
    error = failure_of(400, json.dumps({"error": message}).encode(), {}, now=ManualClock().now())

    assert not isinstance(error, CapabilityMissing)


def test_models_are_those_that_were_pulled() -> None:
    entries = [{"name": "b:latest", "model": "b:latest"}, {"name": "a"}, {"name": "a"}, {"size": 1}, None]

    assert [entry.id for entry in models({"models": entries})] == ["a", "b:latest"]
    assert models({"models": None}) == models({"models": []}) == []


@pytest.mark.parametrize("payload", [None, [], {}, {"data": []}, {"models": "x"}, "x"])
def test_what_is_no_list_of_models_is_a_bad_response(payload: Any) -> None:
    with pytest.raises(ProviderBadResponse):
        models(payload)


@pytest.mark.parametrize("ending", ["", "/", "/api", "/api/", "/v1", "/v1/"])
@pytest.mark.parametrize("path", ["", "/proxy"])
def test_a_base_url_is_taken_as_people_copy_it(ending: str, path: str) -> None:
    assert OLLAMA.base_url(f"http://gpu:11434{path}{ending}") == f"http://gpu:11434{path}"


def test_it_is_at_home_on_this_machine() -> None:
    assert OLLAMA.base_url("") + OLLAMA.path == "http://127.0.0.1:11434/api/chat"
