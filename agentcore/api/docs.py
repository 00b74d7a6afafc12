"""The API's description, for programs and as a page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.views import SpectacularAPIView

from agentcore.api.errors import error_response
from agentcore.errors import MethodNotAllowed

SAFE = ("GET", "HEAD")


class Schema(SpectacularAPIView):
    """The OpenAPI description: JSON, or YAML for who accepts only that."""

    # Not the host site's own endpoints, whatever these are.
    urlconf = "agentcore.urls"
    renderer_classes = [OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer]


@csrf_exempt
def docs(request: HttpRequest) -> HttpResponse:
    """The description to read and to try. A page of our own: the packaged one has inline styles and scripts."""
    if request.method not in SAFE:
        return error_response(MethodNotAllowed(), request, Allow=", ".join(SAFE))
    return render(request, "agentcore/api_docs.html")
