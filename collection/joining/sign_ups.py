"""Lets people make an account by themselves, for a corpus that allows it. Its exam stands before the work."""

from accounts.models import User
from accounts.people.registration import create_person
from accounts.sign_in.throttle import begin_sign_in
from collection.joining.entry_links import is_open_to
from collection.models import Corpus, SignUp
from shared.transactions import one_transaction


def sign_up(*, corpus: Corpus, username: str, password: str, address: str) -> User:
    """Makes an annotator's account that is open to this corpus alone. Raises TooManyAttempts, NameTaken.

    Accounts are limited by network address, as failed sign-ins are.
    """
    begin_sign_in(account=f"sign-up:{username}", address=address)
    return _make_account(corpus, username, password)


@one_transaction
def _make_account(corpus: Corpus, username: str, password: str) -> User:
    user = create_person(username=username, password=password)
    SignUp.objects.create(user=user, corpus=corpus)
    return user


@one_transaction
def join(*, corpus: Corpus, annotator: User) -> None:
    """Lets somebody who has an account work for another corpus, one that allows self sign-up."""
    if not is_open_to(annotator, corpus.pk):
        SignUp.objects.get_or_create(user=annotator, corpus=corpus)
