"""Makes the OpenAPI description, with every response of each address, errors included."""

from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from accounts.rest.problems import MEDIA_TYPE, ProblemSerializer

MEANINGS = {
    400: "The request could not be read.",
    401: "No token, or an unknown one.",
    403: "Wrong role, no consent, or not in the pool.",
    404: "It does not exist, or it is not yours.",
    406: "The requested format is not available.",
    409: "Somebody else was faster, or the idempotency key was used with other content.",
    412: "The file is not the one that the request expects.",
    413: "The request is too large.",
    415: "The request is not JSON.",
    416: "The file has no such bytes.",
    422: "A field is invalid; `errors` names it.",
    429: "Too many failed attempts; `Retry-After` says how long to wait.",
    503: "The server cannot do it now, for example because its disk is full.",
}


def checked(serializer: type[serializers.Serializer], data: Any) -> dict[str, Any]:
    """Returns the data of a request as its serializer reads them. Raises ValidationError (422)."""
    asked = serializer(data=data)
    if isinstance(data, Mapping) and not issubclass(serializer, QuerySerializer):
        known = [name for name, field in asked.fields.items() if not field.read_only]
        if unknown := sorted(data.keys() - set(known)):
            there = f"Known: {', '.join(known)}." if known else "This address takes none."
            raise serializers.ValidationError(dict.fromkeys(unknown, f"There is no such field. {there}"))
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


class QuerySerializer(serializers.Serializer):
    """Reads and describes the query parameters of an address; the field `as_` is the parameter `as`."""

    def get_fields(self) -> dict[str, Any]:
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """Returns the checked parameters. Raises ValidationError (422)."""
        return checked(cls, request.query_params.dict())  # a plain dict: an empty value is checked, too


def one_of(name: str, values: Iterable[str], **more: Any) -> serializers.ChoiceField:
    """Returns a field for one of these values; its error lists them."""
    known = list(values)
    messages: dict[str, Any] = {
        "invalid_choice": f"There is no {name} {{input!r}} here. Known: {', '.join(known)}."
    }
    return serializers.ChoiceField(choices=known, error_messages=messages, **more)


class Description(AutoSchema):
    """Adds the errors that are common to a kind of address; a view declares only its own (`of_status`)."""

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status in self._common_errors():
            if str(status) not in bodies:
                bodies[str(status)] = self._get_response_for_code(
                    ProblemSerializer, str(status), [MEDIA_TYPE], direction
                )
        for code, body in bodies.items():
            body["description"] = body["description"] or MEANINGS.get(int(code), "")
        return dict(sorted(bodies.items()))

    def _common_errors(self) -> list[int]:
        found = [400, 503]  # a NUL in the address; a full disk
        if AllowAny not in self.view.permission_classes:
            found += [401, 403]
        if issubclass(self.view.content_negotiation_class, DefaultContentNegotiation):
            found.append(406)
        if "{" in self.path or self._is_list_view():
            found.append(404)  # of a list: an invalid cursor
        if self.method == "POST" and self.get_request_serializer():
            found += [413, 415, 422]
        if any(parameter["in"] == "query" for parameter in self._get_parameters()):
            found.append(422)
        return found
