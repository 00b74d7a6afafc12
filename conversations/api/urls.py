"""Addresses of the conversations' API, under ``/api/``."""

from django.urls import path

from conversations.api.views import ConversationDetail, ConversationList, FeedbackGiven, MessageList

urlpatterns = [
    path("conversations", ConversationList.as_view(), name="conversation-list"),
    path("conversations/<uuid:conversation_id>", ConversationDetail.as_view(), name="conversation-detail"),
    path("conversations/<uuid:conversation_id>/messages", MessageList.as_view(), name="message-list"),
    path(
        "conversations/<uuid:conversation_id>/messages/<uuid:message_id>/feedback",
        FeedbackGiven.as_view(),
        name="message-feedback",
    ),
]
