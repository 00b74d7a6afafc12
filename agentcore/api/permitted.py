"""Endpoints behind a Django permission, one for each method."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from agentcore.errors import Forbidden


class Permitted(APIView):
    """The site's own policies first, then ``permission_of`` the method."""

    permission_of: ClassVar[Mapping[str, str]]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = "GET" if request.method == "HEAD" else str(request.method)
        # A method that there is not is 405, whoever asks.
        if method in self.permission_of:
            required(request, self.permission_of[method])


def required(request: Request, permission: str) -> None:
    """
    Raises:
        Forbidden: the user does not hold ``permission``.
    """
    if not request.user.has_perm(permission):
        raise Forbidden()


def checked(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """What was sent, in the shape that it must have.

    Raises:
        rest_framework.exceptions.ValidationError: it has not.
    """
    given = shape(data=request.data)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)
