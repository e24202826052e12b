"""Fields of REST requests and responses about people."""

from rest_framework import serializers

from accounts.models import ApiToken


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


class NewTokenSerializer(serializers.Serializer):
    token = serializers.CharField(help_text="Send it as: Authorization: Token ...")
    expires_at = serializers.DateTimeField()
