"""Gives, checks and withdraws consent."""

from django.utils import timezone

from accounts.errors import AccountsError
from accounts.models import Consent, ConsentForm, User


class ConsentMissing(AccountsError):
    """The person has not agreed to a consent form (`form`: its id), or has withdrawn the consent."""

    def __init__(self, form: int) -> None:
        super().__init__(
            "You have not agreed to the consent form of this corpus, or have taken your consent back, so nothing was"
            " handed out or saved. Please read the form and agree to it first; what is in hand can be sent after that."
        )
        self.form = form


def give_consent(*, user: User, form: ConsentForm) -> Consent:
    """Records that the person agreed; agreeing twice is agreeing once."""
    return Consent.objects.get_or_create(user=user, form=form, withdrawn_at=None)[0]


def require_consent(*, user: User, form_id: int | None) -> None:
    """Raises ConsentMissing unless the person agrees to the form at present. Without a form there is nothing to ask."""
    if form_id is not None and not Consent.objects.is_given(user, form_id):
        raise ConsentMissing(form_id)


def withdraw_consent(*, user: User, form: ConsentForm) -> bool:
    """Takes a consent back from now on; the record that it was given stays. False: there was none."""
    standing = Consent.objects.given_by(user).filter(form=form)
    return standing.update(withdrawn_at=timezone.now()) > 0
