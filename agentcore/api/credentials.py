"""Credentials: a value goes in and never comes out again."""

from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from agentcore.api.permitted import Permitted, checked, required
from agentcore.api.provider_shapes import CredentialAnswer, NewCredential
from agentcore.models import Credential
from agentcore.services.credentials import credential_delete, credential_named, credential_state, credential_store
from agentcore.services.discovery import discovery_with_key


class CredentialDetail(Permitted):
    """A key, of which only its last four characters and a fingerprint are told."""

    permission_of = {"GET": "agentcore.view_credential", "DELETE": "agentcore.delete_credential"}

    @extend_schema(operation_id="credentials_retrieve", responses=CredentialAnswer)
    def get(self, request: Request, credential_id: str) -> Response:
        """One without a value is told as such, whether it is known or not."""
        return Response(credential_json(credential_named(credential_id)))

    @extend_schema(operation_id="credentials_put", request=NewCredential, responses={200: CredentialAnswer})
    @method_decorator(sensitive_variables())
    def put(self, request: Request, credential_id: str) -> Response:
        """Store a value, in the place of the one there was."""
        is_there = Credential.objects.filter(slug=credential_id).exists()
        required(request, "agentcore.change_credential" if is_there else "agentcore.add_credential")
        value = checked(NewCredential, request)["value"]
        row = credential_store(credential_id, value)
        discovery_with_key(row.slug)
        return Response(credential_json(row))

    @extend_schema(operation_id="credentials_delete", responses={204: None})
    def delete(self, request: Request, credential_id: str) -> Response:
        """Take the value away at once. Its providers answer nobody until there is another one."""
        credential_delete(credential_id)
        return Response(status=204)


def credential_json(row: Credential) -> dict[str, Any]:
    """No query."""
    state = credential_state(row)
    is_outside = not row.token and state.is_usable
    return {
        "credential_id": row.slug,
        "configured": state.is_usable,
        "source": "stored" if row.token else "environment" if is_outside else None,
        "state": state.readability.value,
        "last_four": state.last_four or None,
        "fingerprint": state.fingerprint or None,
        "updated_at": row.updated_at,
    }
