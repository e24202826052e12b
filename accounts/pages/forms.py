"""What people fill in: the sign-in, a new password, a new token, their background, and the wish to be erased."""

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
        label="Your password now",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": "Please type the password that you have now."},
    )
    new = forms.CharField(
        label="Your new password",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": "Please type the new password."},
    )
    again = forms.CharField(
        label="The new one once more",
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": "Please type the new password a second time."},
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
            raise forms.ValidationError("This is not the same as the new password above.")
        return self.cleaned_data["again"]


class ConfirmedForm(forms.Form):
    """A form that asks for the password once more: a screen that somebody left open is not enough.

    The view checks it (`accounts.pages.access.confirmed`). Who came through a link has none; see `own_required`.
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
                error_messages={"required": "Please type your password once more."},
            )


class ErasureForm(ConfirmedForm):
    code = forms.CharField(
        label="Type your code, if you are sure",
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": "Please type your code. Nothing was erased."},
    )

    def clean_code(self) -> str:
        if self.cleaned_data["code"].strip() != self.user.code:
            raise forms.ValidationError(f"Your code is {self.user.code}. Nothing was erased.")
        return self.user.code


class BackgroundForm(forms.Form):
    """A choice for each question; all may be left out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (question, answers) in QUESTIONS.items():
            choices = [("", "I leave this out"), *answers.items()]
            self.fields[name] = forms.ChoiceField(label=question, choices=choices, required=False)


class TokenForm(ConfirmedForm):
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
