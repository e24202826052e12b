"""Serves the OpenAPI description."""

from functools import cache
from typing import Any

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response


@cache
def description() -> dict[str, Any]:
    """Makes the description, which is the same for everybody, once in a process."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


class DescriptionView(SpectacularAPIView):
    """Answers with the description. It reads no parameters but `format`."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        name = f"{settings.SPECTACULAR_SETTINGS['TITLE']}.{request.accepted_renderer.format}"
        return Response(description(), headers={"Content-Disposition": f'inline; filename="{name}"'})
