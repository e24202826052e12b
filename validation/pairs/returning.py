"""Returns a written text to its writer, who mends it once or declines; the first text stays as history.

See docs/decisions/0027.
"""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from accounts.people.consents import require_consent
from collection.errors import InvalidWriting
from collection.models import Exclusion, Pair, PairEdit, ReturnedText, WritingAssignment
from collection.models.withdrawal import RETURNED
from collection.texts import one_line
from collection.writing.claiming import lock_writer
from collection.writing.guidance import carry_over
from collection.writing.starts import store_edits
from collection.writing.submitting import advice_on, in_words
from collection.writing.who_may_write import texts_to_mend
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, ReasonMissing
from validation.models import Label, Question
from validation.pairs.withdrawal import restore_pairs, withdraw_pairs
from validation.statistics.cached import mark_stale

Outcome = ReturnedText.Outcome


def why_not_returned(pair: Pair) -> str:
    """Returns why a pair cannot go back to its writer; empty if it can."""
    if pair.assignment_id is None or pair.author is None:
        return "Only what somebody wrote here can be returned to them."
    if pair.withdrawn_at is not None:
        return "The pair is withdrawn."
    if Label.objects.filter(pair=pair).exists():
        return "The pair is open for labelling, so its text stays as it is. Withdraw it instead."
    if ReturnedText.objects.filter(pair=pair).exists() or ReturnedText.objects.filter(mended=pair).exists():
        return "A text is returned once, and this one was."
    if Exclusion.objects.of(pair.author).filter(corpus=pair.corpus_id).exists():
        return "Its writer is excluded from the corpus."
    return ""


@one_transaction
def return_text(*, pair: Pair, remark: str, by: User) -> ReturnedText:
    """Returns a text to its writer with a remark, and withdraws the pair. Raises ReasonMissing, AlreadyDecided."""
    remark = remark.strip()
    if not remark:
        raise ReasonMissing
    # As an opening does: it comes before, and its seats are seen below, or it waits, and finds the pair withdrawn.
    list(
        Question.objects.select_for_update(of=("self",), no_key=True)
        .filter(corpus=pair.corpus_id)
        .order_by("pk")
    )
    locked = Pair.objects.select_for_update(of=("self",), no_key=True).get(pk=pair.pk)
    if why := why_not_returned(locked):
        raise AlreadyDecided(why)
    withdraw_pairs(pairs=Pair.objects.filter(pk=pair.pk), because=RETURNED, at=timezone.now())
    mark_stale(corpus=pair.corpus_id)
    return ReturnedText.objects.create(pair=locked, remark=remark, by=by)


@one_transaction
def take_back_return(*, pair: Pair) -> None:
    """Lets a returned pair count again as it was. Raises AlreadyDecided if its writer has mended it.

    If its writer has been excluded together with what they wrote, it belongs to that exclusion and stays withdrawn.
    """
    if pair.author is not None:
        lock_writer(pair.author)  # an exclusion comes before, and keeps the pair, or it waits, and takes it
    returned = _locked(ReturnedText.objects.filter(pair=pair))
    if returned is None or returned.outcome in (Outcome.MENDED, Outcome.TAKEN_BACK):
        raise AlreadyDecided(
            "This return is over: the text was corrected, or the return was taken back. Nothing was changed."
        )
    _close(returned, Outcome.TAKEN_BACK, timezone.now())
    restore_pairs(pairs=Pair.objects.filter(pk=pair.pk))
    mark_stale(corpus=pair.corpus_id)


@one_transaction
def mend_text(*, returned: ReturnedText, writer: User, text: str) -> Pair:
    """Stores the mended text as a pair in place of the returned one. It pays nothing: the first text was paid.

    The same text again returns the same pair. Raises AlreadyDecided if it is over, ConsentMissing, and InvalidWriting.
    """
    text = one_line(text).strip()
    lock_writer(writer)  # an exclusion comes before, and is seen below, or it waits, and takes the pair
    if repeated := Pair.objects.filter(mends=returned, author=writer, hypothesis=text).first():
        return repeated
    waiting, now = _waiting(returned, writer)
    old = waiting.pair
    require_consent(user=writer, form_id=old.corpus.consent_form_id)
    label = old.author_label or ""
    assignment = WritingAssignment.objects.get(pairs=old)
    texts = {each.author_label or "": each.hypothesis for each in assignment.pairs.order_by("pk")}
    edits = PairEdit.objects.filter(pair__assignment=assignment)
    starts = {of or "": start for of, start in edits.values_list("pair__author_label", "edited_from")}
    advice = advice_on(assignment, {**texts, label: text}, starts)
    refused = [each for each in advice if each.refuses and each.label == label]
    if refused:
        raise InvalidWriting({each.label: in_words(each) for each in refused})
    if text == old.hypothesis:
        raise InvalidWriting({label: gettext("This is the sentence as it was. Please change it.")})
    new = Pair.objects.create(
        corpus_id=old.corpus_id,
        premise_id=old.premise_id,
        hypothesis=text,
        scheme=old.scheme,
        author_id=old.author_id,
        author_label=old.author_label,
        author_reason=old.author_reason,
        prompt_version_id=old.prompt_version_id,
        assignment_id=old.assignment_id,
        arm=old.arm,
        family=old.family,
    )
    store_edits(old.corpus, {new: starts.get(label, "")})
    carry_over(old, new)
    _close(waiting, Outcome.MENDED, now, mended=new)
    mark_stale(corpus=old.corpus_id)
    return new


@one_transaction
def decline_text(*, returned: ReturnedText, writer: User) -> None:
    """Leaves a returned text withdrawn. Idempotent. Raises AlreadyDecided if it was mended or taken back, or is overdue."""
    lock_writer(writer)
    if ReturnedText.objects.of(writer).filter(pk=returned.pk, outcome=Outcome.DECLINED).exists():
        return
    waiting, now = _waiting(returned, writer)
    _close(waiting, Outcome.DECLINED, now)


def why_over(returned: ReturnedText, now: datetime) -> str:
    """Says to its writer why a returned text, which they can no longer change, is as it is."""
    if returned.outcome == Outcome.MENDED:
        return gettext("You have already sent a new sentence.")
    if returned.outcome == Outcome.DECLINED:
        return gettext("You chose not to change this sentence, so it is not used.")
    if returned.outcome == Outcome.TAKEN_BACK:
        return gettext("The researchers no longer ask for a change.")
    if returned.until <= now:
        return gettext("The time to change this sentence is over, so it is not used.")
    return gettext("You cannot write for this study at present, so this sentence cannot be changed.")


def _waiting(returned: ReturnedText, writer: User) -> tuple[ReturnedText, datetime]:
    """Locks a returned text that its writer, whose row is locked, can still mend. Raises AlreadyDecided."""
    now = timezone.now()
    waiting = _locked(texts_to_mend(writer, now).filter(pk=returned.pk))
    if waiting is None:
        raise AlreadyDecided(
            "{} {}".format(
                why_over(ReturnedText.objects.get(pk=returned.pk), now), gettext("Nothing was changed.")
            )
        )
    return waiting, now


def _locked(returned: object) -> ReturnedText | None:
    found = returned.select_for_update(of=("self",)).select_related("pair__corpus", "pair__premise")  # type: ignore[attr-defined]
    first: ReturnedText | None = found.first()
    return first


def _close(returned: ReturnedText, outcome: str, now: datetime, mended: Pair | None = None) -> None:
    ReturnedText.objects.filter(pk=returned.pk).update(outcome=outcome, closed_at=now, mended=mended)
