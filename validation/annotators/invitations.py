"""Invites e-mail addresses to a corpus: each gets a link of its own, which makes an account that may work at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Grant, User
from accounts.people.qualifications import grant
from accounts.people.registration import create_person
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import begin_sign_in
from collection.joining.entry_links import EntryRefused
from collection.joining.sign_ups import join
from collection.models import Corpus, Invitation, SignUp
from shared.transactions import one_transaction
from validation.annotators.membership import ENDED, invite
from validation.errors import NotInPool

MOST = 500  # addresses at a time
LONGEST = 254
_NAMED = re.compile(r"[^<>]*<([^<>]*)>")


@dataclass
class Addresses:
    """What a pasted list says. `good`: each address once, in small letters. `faults`: a sentence for each bad one."""

    good: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def addresses_in(text: str) -> Addresses:
    """Reads a pasted list: an address a line, or several with commas or semicolons; `Name <address>` will do, too."""
    found = Addresses()
    for number, line in enumerate(text.splitlines(), start=1):
        for piece in re.split(r"[,;]", line):
            named = _NAMED.fullmatch(piece.strip())
            address = (named[1] if named else piece).strip().lower()
            if not address:
                continue
            try:
                validate_email(address)
                if len(address) > LONGEST:
                    raise ValidationError("")
            except ValidationError:
                shown = address if len(address) < 80 else f"{address[:80]}..."
                found.faults.append(
                    f"Line {number}: “{shown}” is no e-mail address. Correct it, or take it out."
                )
            else:
                found.good.append(address)
    found.good = list(dict.fromkeys(found.good))
    if len(found.good) > MOST:
        found.faults.append(
            f"There are {len(found.good):,} addresses; at most {MOST} can be invited at a time."
        )
    return found


@one_transaction
def make_invitations(*, corpus: Corpus, addresses: Sequence[str], by: User) -> list[Invitation]:
    """Makes an invitation for each address that has none so far; returns the new ones, in the order of the addresses."""
    known = set(Invitation.objects.filter(corpus=corpus, email__in=addresses).values_list("email", flat=True))
    new = [Invitation(corpus=corpus, email=address, by=by) for address in addresses if address not in known]
    # Of two researchers who invite the same address at once, one makes the invitation.
    Invitation.objects.bulk_create(new, ignore_conflicts=True)
    made = Invitation.objects.filter(token__in=[each.token for each in new]).order_by("pk")
    note("invitations made", by=by.code, count=len(made))
    return list(made)


def take_back(*, corpus: Corpus, number: int) -> bool:
    """Deletes an invitation that nobody has accepted: its link lets nobody in. Returns False if there is none."""
    deleted, _ = Invitation.objects.filter(corpus=corpus, pk=number, user=None).delete()
    return bool(deleted)


def open_invitation(token: str) -> Invitation:
    """Returns the invitation of a token. Raises EntryRefused if it was used or taken back, or the corpus is archived."""
    found = Invitation.objects.filter(token=token, user=None, corpus__archived_at=None).select_related(
        "corpus", "by"
    )
    invitation = found.first()
    if invitation is None:
        raise EntryRefused(
            gettext(
                "This invitation was used, or taken back. If you have an account, sign in. Else write to the"
                " researchers."
            )
        )
    return invitation


def accept_with_new_account(*, token: str, username: str, password: str, address: str) -> User:
    """Makes an annotator's account for the corpus of an invitation. Raises EntryRefused, NameTaken, TooManyAttempts."""
    begin_sign_in(account=f"sign-up:{username}", address=address)
    return _make_account(token, username, password)


@one_transaction
def _make_account(token: str, username: str, password: str) -> User:
    user = create_person(username=username, password=password)
    invitation = _accepted(token, user)
    SignUp.objects.create(user=user, corpus=invitation.corpus)
    _let_in(invitation, user)
    return user


@one_transaction
def accept(*, token: str, annotator: User) -> None:
    """Lets somebody who has an account work for the corpus of an invitation. Raises EntryRefused."""
    invitation = _accepted(token, annotator)
    join(corpus=invitation.corpus, annotator=annotator)
    _let_in(invitation, annotator)


def _accepted(token: str, user: User) -> Invitation:
    """Uses the invitation up, so that of two people with one link only one comes in."""
    invitation = open_invitation(token)
    if not Invitation.objects.filter(pk=invitation.pk, user=None).update(
        user=user, accepted_at=timezone.now()
    ):
        return open_invitation(token)
    return invitation


def _let_in(invitation: Invitation, user: User) -> None:
    """Gives what stands before the work: the qualification to write, and a place in pools that are not open to all."""
    corpus = invitation.corpus
    held = [corpus.writing_qualification] if corpus.writing_qualification else []
    for question in corpus.questions.select_related("qualification"):
        if not question.pool_is_open:
            try:
                invite(question=question, annotator=user)
            except NotInPool as excluded:
                raise EntryRefused(str(ENDED)) from excluded
        elif question.qualification:
            held.append(question.qualification)
    for qualification in dict.fromkeys(held):
        grant(user=user, qualification=qualification, how=Grant.How.INVITATION, by=invitation.by)
