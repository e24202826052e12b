"""What people fill in: the sign-in, and a new token."""

from datetime import datetime, timedelta

from django import forms
from django.utils import timezone

from accounts.models import ApiToken


class SignInForm(forms.Form):
    username = forms.CharField(
        label="User name",
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": "Please type your user name."},
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Please type your password."},
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label="What is it for?",
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Please give the token a name, so that you know it later."},
    )
    scope = forms.ChoiceField(
        label="What may it do?", choices=ApiToken.Scope.choices, initial=ApiToken.Scope.READ, required=False
    )
    days = forms.TypedChoiceField(
        label="How long does it last?",
        coerce=int,
        choices=[(30, "30 days"), (365, "a year"), (0, "until I end it")],
        initial=30,
    )

    def clean_scope(self) -> str:
        """A form that does not ask, as an older script sends, means what tokens meant before."""
        return self.cleaned_data["scope"] or ApiToken.Scope.ALL

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
