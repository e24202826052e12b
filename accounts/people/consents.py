"""Gives, checks and withdraws consent."""

from django.utils import timezone
from django.utils.translation import gettext

from accounts.errors import AccountsError
from accounts.models import Consent, ConsentForm, User


class ConsentMissing(AccountsError):
    """The person has not agreed to a consent form (`form`: its id), or has withdrawn the consent."""

    def __init__(self, form: int) -> None:
        super().__init__(
            gettext(
                "You have not agreed to the consent form of this study, or you withdrew your consent. Nothing was handed"
                " out or saved. Please read the form and agree to it, then send your work again."
            )
        )
        self.form = form


def give_consent(*, user: User, form: ConsentForm, language: str = "") -> Consent:
    """Records a person's consent; a second call changes nothing. `language`: of the translation that they read."""
    read = {"language": language if language in form.translations else ""}
    return Consent.objects.get_or_create(user=user, form=form, withdrawn_at=None, defaults=read)[0]


def require_consent(*, user: User, form_id: int | None) -> None:
    """Raises ConsentMissing unless the person agrees to the form at present. None: the corpus has no form."""
    if form_id is not None and not Consent.objects.is_given(user, form_id):
        raise ConsentMissing(form_id)


def withdraw_consent(*, user: User, form: ConsentForm) -> bool:
    """Withdraws a consent; its record stays. Returns False if there was none."""
    standing = Consent.objects.given_by(user).filter(form=form)
    return standing.update(withdrawn_at=timezone.now()) > 0
