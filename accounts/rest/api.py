"""REST endpoint that returns a token for a password."""

from datetime import timedelta

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rest.problems import of_status
from accounts.rest.serializers import NewTokenSerializer, SignInSerializer
from accounts.sign_in import passwords, tokens
from accounts.sign_in.client_address import client_address

# As long as a session in the browser. Tokens that last longer are created under Mine.
TOKEN_LIFE = timedelta(days=30)


class TokenView(APIView):
    authentication_classes: list = []
    permission_classes = [AllowAny]

    @extend_schema(
        summary="Get a token for a user name and a password",
        description="Failed attempts are limited as at the sign-in page: after a few, 429 with Retry-After.",
        request=SignInSerializer,
        responses={200: NewTokenSerializer, **of_status(401, 429)},
        tags=["token"],
    )
    @sensitive_variables("asked", "password")
    def post(self, request: Request) -> Response:
        asked = SignInSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        name, password = asked.validated_data["username"], asked.validated_data["password"]
        user = passwords.sign_in(username=name, password=password, address=client_address(request._request))
        expires_at = timezone.now() + TOKEN_LIFE
        name, scope = asked.validated_data["name"], asked.validated_data["scope"]
        token = tokens.create_api_token(user=user, name=name, expires_at=expires_at, scope=scope)
        return Response(NewTokenSerializer({"token": token, "expires_at": expires_at}).data)
