"""Forms of accounts: sign-in, password, token, background, deletion of the account."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.utils import timezone

from accounts.background_questions import QUESTIONS
from accounts.models import ApiToken, User


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


class PasswordForm(forms.Form):
    old = forms.CharField(
        label="Current password",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Please type your current password."},
    )
    new = forms.CharField(
        label="New password",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": "Please type the new password."},
    )
    again = forms.CharField(
        label="Repeat the new password",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": "Please repeat the new password."},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["new"].help_text = " ".join(password_validators_help_texts())

    def clean_new(self) -> str:
        validate_password(self.cleaned_data["new"], self.user)
        return self.cleaned_data["new"]

    def clean_again(self) -> str:
        if self.cleaned_data["again"] != self.cleaned_data.get("new", self.cleaned_data["again"]):
            raise forms.ValidationError("The two new passwords differ.")
        return self.cleaned_data["again"]


class ConfirmedForm(forms.Form):
    """Asks for the password again, because somebody else may sit at an open screen.

    `accounts.pages.access.confirmed` checks it. People who came through a link have none; see `own_required`.
    """

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if user.has_usable_password():
            self.fields["password"] = forms.CharField(
                label="Your password",
                strip=False,
                max_length=4096,
                widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
                error_messages={"required": "Please type your password again."},
            )


class ErasureForm(ConfirmedForm):
    code = forms.CharField(
        label="Type your code to confirm",
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": "Please type your code. Nothing was deleted."},
    )

    def clean_code(self) -> str:
        if self.cleaned_data["code"].strip() != self.user.code:
            raise forms.ValidationError(f"Your code is {self.user.code}. Nothing was deleted.")
        return self.user.code


class BackgroundForm(forms.Form):
    """Asks the optional questions about a person's background."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (question, answers) in QUESTIONS.items():
            choices = [("", "Prefer not to say"), *answers.items()]
            self.fields[name] = forms.ChoiceField(label=question, choices=choices, required=False)


class TokenForm(ConfirmedForm):
    name = forms.CharField(
        label="Purpose",
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Please say what the token is for, so that you recognise it later."},
    )
    scope = forms.ChoiceField(
        label="Access", choices=ApiToken.Scope.choices, initial=ApiToken.Scope.READ, required=False
    )
    days = forms.TypedChoiceField(
        label="Expires after",
        coerce=int,
        choices=[(30, "30 days"), (365, "a year"), (0, "never")],
        initial=30,
    )

    def clean_scope(self) -> str:
        """Returns full access where a script sends no scope, as older ones do."""
        return self.cleaned_data["scope"] or ApiToken.Scope.ALL

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
