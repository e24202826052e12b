"""Pays people for reading the instructions of a prompt and passing their check, once for each prompt."""

from django.db.models import Exists

from accounts.models import Consent, User
from collection.models import Genre, LedgerEntry, PromptReading, PromptVersion, WritingAssignment
from collection.pay import earn, reason_for
from collection.writing.who_may_write import why_not_writing


def pays_for_reading(*, annotator: User, version: PromptVersion) -> bool:
    """Returns whether passing the check pays this person: they may write under this version now, or hold a task of it."""
    corpus = version.prompt.corpus
    if not version.reading_pay_cents or why_not_writing(corpus, annotator) is not None:
        return False
    if not Consent.objects.is_given(annotator, corpus.consent_form_id):
        return False
    in_hand = WritingAssignment.objects.filter(annotator=annotator, prompt_version=version, closed_at=None)
    is_newest = PromptVersion.objects.newest().filter(pk=version.pk).exists()
    root = version.prompt.root
    writable = Genre.objects.filter(prompt=root).writable_by(annotator)
    is_other_arm = root.arms.exists() and not version.prompt.drawn.filter(annotator=annotator).exists()
    return in_hand.exists() or (is_newest and writable.exists() and not is_other_arm)


def pay_for_reading(*, annotator: User, version: PromptVersion) -> None:
    """Pays what the version says, if this person was not paid for reading this prompt before."""
    prompt = version.prompt
    earn(
        user=annotator,
        corpus_id=prompt.corpus_id,
        kind=LedgerEntry.Kind.READING,
        cents=version.reading_pay_cents,
        reason=reason_for(LedgerEntry.Kind.READING, prompt=prompt.name, name=prompt.corpus.name),
        key=_key(version),
    )


def pay_for_earlier_reading(*, annotator: User, version: PromptVersion) -> None:
    """Pays, with a task under this version, somebody who passed its check when they could not write under it yet.

    They may have consented, qualified or been let in only afterwards.
    """
    if not version.reading_pay_cents:
        return
    paid = LedgerEntry.objects.filter(user=annotator, key=_key(version))
    passed = PromptReading.objects.filter(annotator=annotator, version=version, passed_at__isnull=False)
    if passed.filter(~Exists(paid)).exists():
        pay_for_reading(annotator=annotator, version=version)


def _key(version: PromptVersion) -> str:
    return f"reading:{version.prompt_id}"
