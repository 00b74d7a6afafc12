"""The API's description, for programs and as a page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.views import SpectacularAPIView


class Schema(SpectacularAPIView):
    """The OpenAPI description: JSON, or YAML for who accepts only that."""

    # Not the host site's own endpoints, whatever these are.
    urlconf = "agentcore.urls"
    renderer_classes = [OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer]


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The description to read and to try. A page of our own: the packaged one has inline styles and scripts."""
    return render(request, "agentcore/api_docs.html")
