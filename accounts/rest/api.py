"""REST: a token for a password, and the OpenAPI description."""

from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiToken, User
from accounts.rest.openapi import checked
from accounts.rest.problems import Problem, of_status
from accounts.sign_in import passwords, second_factor, tokens
from accounts.sign_in.throttle import client_address


class SignInSerializer(serializers.Serializer):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=4096, trim_whitespace=False, write_only=True)
    code = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        write_only=True,
        help_text="Where the account has a second factor: the code that the app shows, or a recovery code.",
    )
    name = serializers.CharField(
        max_length=100,
        default="created with a password",
        help_text="What the token is for. It is listed under My account.",
    )
    scope = serializers.ChoiceField(choices=ApiToken.Scope.choices, default=ApiToken.Scope.ALL)
    corpus = serializers.SlugField(
        max_length=60,
        default="",
        allow_blank=True,
        help_text="of a researcher: the only corpus that the token opens; empty: all that they may see",
    )


class NewTokenSerializer(serializers.Serializer):
    token = serializers.CharField(help_text="Send it as: Authorization: Token ...")
    expires_at = serializers.DateTimeField()


# As long as a session in the browser. Tokens that last longer are created under My account.
TOKEN_LIFE = timedelta(days=30)
CODE_MISSING = (
    "This account has a second factor. Send the code that your app shows, or a recovery code, as code. With passkeys alone,"
    " create the token on your page (My account)."
)
NOT_SET_UP = "This site asks researchers for a second factor. Sign in by a browser and set one up first."


class TokenView(APIView):
    authentication_classes: list = []
    permission_classes = [AllowAny]

    @extend_schema(
        summary="Get a token for a user name and a password",
        description=(
            "Where the account has a second factor, also for a code: without one, or with a wrong one, 401 with `code`"
            " among the `errors`. Failed attempts are limited as at the sign-in page: after a few, 429 with Retry-After."
        ),
        request=SignInSerializer,
        responses={200: NewTokenSerializer, **of_status(401, 403, 429)},
        tags=["token"],
    )
    @sensitive_variables("asked")
    def post(self, request: Request) -> Response:
        asked = checked(SignInSerializer, request.data)
        address = client_address(request._request)
        user = passwords.sign_in(username=asked["username"], password=asked["password"], address=address)
        _check_second_factor(user, asked["code"], address)
        expires_at = timezone.now() + TOKEN_LIFE
        name, scope = asked["name"], asked["scope"]
        token = tokens.create_api_token(
            user=user, name=name, expires_at=expires_at, scope=scope, corpus=asked["corpus"]
        )
        return Response(NewTokenSerializer({"token": token, "expires_at": expires_at}).data)


def _check_second_factor(user: User, code: str, address: str) -> None:
    """Uses up the code of an account with a second factor. Raises Problem or TooManyAttempts."""
    if not second_factor.has_second_factor(user):
        if settings.REQUIRE_SECOND_FACTOR and user.is_researcher:
            raise Problem(status=403, detail=NOT_SET_UP)
        return
    if not code:
        raise Problem(
            status=401, title="A code is missing", detail=CODE_MISSING, errors={"code": CODE_MISSING}
        )
    try:
        second_factor.use_code(user=user, code=code, address=address)
    except second_factor.WrongCode as wrong:
        raise Problem(
            status=401, title="Wrong code", detail=str(wrong), errors={"code": str(wrong)}
        ) from None


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
