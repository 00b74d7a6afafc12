"""The endpoints of conversations: each parses, calls one service or selector, and answers."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agentcore.paging import Order, keyset_slice, limit_of
from agentcore.text import clean_text
from conversations.api.shapes import (
    ChangedConversationShape,
    ConversationListShape,
    ConversationShape,
    FeedbackShape,
    NewConversationShape,
    ThreadShape,
    thread_json,
)
from conversations.models import Conversation
from conversations.selectors import conversation_visible, open_runs, thread_load
from conversations.services.conversations import conversation_create, conversation_delete, conversation_update
from conversations.services.feedback import feedback_give

PAGE_PARAMETERS = [OpenApiParameter("cursor"), OpenApiParameter("limit", int)]
LIST_PARAMETERS = [OpenApiParameter("q"), *PAGE_PARAMETERS]
NEWEST_FIRST = Order(first="updated_at", second="id")
CONVERSATIONS_A_PAGE, MESSAGES_A_PAGE, MOST_A_PAGE = 50, 200, 200


class ConversationList(APIView):
    """The person's own conversations, newest first."""

    @extend_schema(operation_id="conversations_list", parameters=LIST_PARAMETERS, responses=ConversationListShape)
    def get(self, request: Request) -> Response:
        words = clean_text(request.query_params.get("q", "")).strip()
        rows = Conversation.objects.visible_to(request.user).matching(words)
        cursor, limit = _place(request, CONVERSATIONS_A_PAGE)
        found = keyset_slice(rows, page="conversations", order=NEWEST_FIRST, cursor=cursor, limit=limit)
        return Response({"results": _shown(found.rows), "next": found.older, "previous": found.newer})

    @extend_schema(request=NewConversationShape, responses={201: ConversationShape})
    def post(self, request: Request) -> Response:
        """Make an empty conversation."""
        conversation = conversation_create(user=request.user, **_checked(NewConversationShape, request))
        return Response(_shown([conversation])[0], status=201)


class ConversationDetail(APIView):
    """One conversation of the person."""

    @extend_schema(responses=ConversationShape)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        return Response(_shown([conversation_visible(conversation_id, request.user)])[0])

    @extend_schema(request=ChangedConversationShape, responses=ConversationShape)
    def patch(self, request: Request, conversation_id: UUID) -> Response:
        """Rename a conversation, or pin it."""
        changes = _checked(ChangedConversationShape, request)
        conversation_update(user=request.user, conversation_id=conversation_id, **changes)
        return self.get(request, conversation_id)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, conversation_id: UUID) -> Response:
        """Delete a conversation with its messages and the text of its runs. What is on record stays, without text."""
        conversation_delete(user=request.user, conversation_id=conversation_id)
        return Response(status=204)


class MessageList(APIView):
    """The messages that the person sees, oldest first, and their runs."""

    @extend_schema(operation_id="messages_list", parameters=PAGE_PARAMETERS, responses=ThreadShape)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        cursor, limit = _place(request, MESSAGES_A_PAGE)
        conversation = conversation_visible(conversation_id, request.user)
        return Response(thread_json(thread_load(conversation, cursor=cursor, limit=limit)))


class FeedbackGiven(APIView):
    """What the person thinks of an answer, in the place of what they said before. Answers what is stored."""

    @extend_schema(request=FeedbackShape, responses={200: FeedbackShape})
    def post(self, request: Request, conversation_id: UUID, message_id: UUID) -> Response:
        said = _checked(FeedbackShape, request)
        given = feedback_give(user=request.user, conversation_id=conversation_id, message_id=message_id, **said)
        return Response(FeedbackShape(given).data)


def _place(request: Request, default: int) -> tuple[str, int]:
    """The cursor and the limit that are asked for.

    Raises:
        ValidationFailed: the limit is wrong.
    """
    query = request.query_params
    return query.get("cursor", ""), limit_of(query.get("limit", ""), default=default, most=MOST_A_PAGE)


def _checked(shape: Any, request: Request) -> dict[str, Any]:
    """
    Raises:
        rest_framework.exceptions.ValidationError: a field is wrong.
    """
    given = shape(data=request.data)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def _shown(conversations: list[Conversation]) -> list[dict[str, Any]]:
    """1 query, whatever their number."""
    runs = open_runs(conversation.pk for conversation in conversations)
    return list(ConversationShape(conversations, many=True, context={"open_runs": runs}).data)
