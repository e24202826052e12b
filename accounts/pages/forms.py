"""Forms of accounts: sign-in, password, token, background, deletion of the account."""

from datetime import datetime, timedelta
from typing import Any

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AuthenticateWebAuthnForm
from django import forms
from django.contrib.auth.password_validation import (
    UserAttributeSimilarityValidator,
    get_default_password_validators,
    validate_password,
)
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from accounts.background_questions import QUESTIONS
from accounts.models import ApiToken, User
from accounts.people.gates import CORPORA
from accounts.sign_in.second_factor import WrongCode, limited, use_code
from accounts.sign_in.throttle import TooManyAttempts, client_address
from shared.bidi import isolated
from shared.translatable import ngettext_noop


class SignInForm(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Please type your user name.")},
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": gettext_lazy("Please type your password.")},
    )


class CodeForm(AuthenticateForm):
    """Takes a code for the second step of the sign-in. `locked` is set if there were too many."""

    locked: TooManyAttempts | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = {"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        self.fields["code"] = forms.CharField(
            label=gettext_lazy("Code"),
            max_length=100,
            widget=forms.TextInput(attrs=attributes),
            error_messages={"required": gettext_lazy("Please type the code.")},
        )

    def clean_code(self) -> str:
        code = self.cleaned_data["code"]
        try:
            self.authenticator = use_code(user=self.user, code=code, address=client_address(context.request))
        except TooManyAttempts as refusal:
            self.locked = refusal
            raise forms.ValidationError(str(refusal)) from None
        except WrongCode as refusal:
            raise forms.ValidationError(str(refusal)) from None
        return code


class PasskeyForm(AuthenticateWebAuthnForm):
    """Takes the answer of a passkey for the second step of the sign-in. `locked` is set if there were too many."""

    locked: TooManyAttempts | None = None

    def clean_credential(self) -> Authenticator:
        try:
            with limited(self.user, client_address(context.request)):
                return super().clean_credential()
        except TooManyAttempts as refusal:
            self.locked = refusal
            raise forms.ValidationError(str(refusal)) from None
        except forms.ValidationError:
            raise forms.ValidationError(gettext("This passkey does not belong to the account.")) from None


# Django has it in some of the languages only.
TOO_SHORT = ngettext_noop(
    "This password is too short. It must contain at least %d character.",
    "This password is too short. It must contain at least %d characters.",
)


def _help_of(validator: Any) -> str:
    """Returns what a rule asks of a password; Django's words speak of personal information, which nobody gives here."""
    if isinstance(validator, UserAttributeSimilarityValidator):
        return gettext("The password must not be like your user name.")
    return str(validator.get_help_text())


class NewPasswordForm(forms.Form):
    new = forms.CharField(
        label=gettext_lazy("New password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": gettext_lazy("Please type the new password.")},
    )
    again = forms.CharField(
        label=gettext_lazy("Repeat the new password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        error_messages={"required": gettext_lazy("Please repeat the new password.")},
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["new"].help_text = " ".join(map(_help_of, get_default_password_validators()))

    def clean_new(self) -> str:
        validate_password(self.cleaned_data["new"], self.user)
        return self.cleaned_data["new"]

    def clean_again(self) -> str:
        if self.cleaned_data["again"] != self.cleaned_data.get("new", self.cleaned_data["again"]):
            raise forms.ValidationError(gettext("The two new passwords differ."))
        return self.cleaned_data["again"]


class SignUpForm(NewPasswordForm):
    username = forms.CharField(
        label=gettext_lazy("User name"),
        help_text=gettext_lazy(
            "It need not be your real name. Others do not see it: they see a random code."
        ),
        max_length=150,
        validators=[
            UnicodeUsernameValidator(
                message=gettext_lazy("Use only letters, digits and the signs @ . + - _ (no spaces).")
            )
        ],
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Please choose a user name.")},
    )
    field_order = ("username", "new", "again")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, user=User(), **kwargs)
        self.fields["new"].label = gettext_lazy("Password")
        self.fields["again"].label = gettext_lazy("Repeat the password")

    def clean_username(self) -> str:
        self.user.username = User.normalize_username(self.cleaned_data["username"])
        return self.user.username


class PasswordForm(NewPasswordForm):
    old = forms.CharField(
        label=gettext_lazy("Current password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": gettext_lazy("Please type your current password.")},
    )
    field_order = ("old", "new", "again")


def email_field(*, required: bool) -> forms.EmailField:
    return forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=required,
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"required": gettext_lazy("Please type your e-mail address.")},
    )


class ForgottenForm(forms.Form):
    email = email_field(required=True)


class ConfirmedForm(forms.Form):
    """Asks for the password again, because somebody else may sit at an open screen.

    `accounts.pages.access.confirmed` checks it. People who came through a link have none; see `own_required`.
    """

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if user.has_usable_password():
            self.fields["password"] = forms.CharField(
                label=gettext_lazy("Your password"),
                strip=False,
                max_length=4096,
                widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
                error_messages={"required": gettext_lazy("Please type your password again.")},
            )


class EmailForm(ConfirmedForm):
    email = email_field(required=False)


class ErasureForm(ConfirmedForm):
    code = forms.CharField(
        label=gettext_lazy("Type your worker code to confirm"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={"required": gettext_lazy("Please type your code. Nothing was deleted.")},
    )

    def clean_code(self) -> str:
        if self.cleaned_data["code"].strip() != self.user.code:
            raise forms.ValidationError(
                gettext("This is not your code, which is %(code)s. Nothing was deleted.")
                % {"code": isolated(self.user.code)}
            )
        return self.user.code


class BackgroundForm(forms.Form):
    """Asks the optional questions about a person's background."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, (question, answers) in QUESTIONS.items():
            choices = [("", gettext("Prefer not to say"))] + [
                (key, gettext(text)) for key, text in answers.items()
            ]
            self.fields[name] = forms.ChoiceField(label=gettext(question), choices=choices, required=False)


class TokenForm(ConfirmedForm):
    name = forms.CharField(
        label=gettext_lazy("Purpose"),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={
            "required": gettext_lazy("Please say what the token is for, so that you recognise it later.")
        },
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Access"),
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.READ,
        required=False,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"),
        coerce=int,
        choices=[
            (30, gettext_lazy("30 days")),
            (365, gettext_lazy("a year")),
            (0, pgettext_lazy("after how long a token expires", "never")),
        ],
        initial=30,
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, user=user, **kwargs)
        if user.is_researcher:
            corpora = [each for found in CORPORA for each in found(user)]
            choices = [("", "all of mine"), *corpora]
            self.fields["corpus"] = forms.ChoiceField(label="Corpus", required=False, choices=choices)

    def clean_scope(self) -> str:
        """Returns full access where a script sends no scope, as older ones do."""
        return self.cleaned_data["scope"] or ApiToken.Scope.ALL

    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
