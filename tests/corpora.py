"""Small corpora for tests: plain functions with keyword defaults, nothing random."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from accounts.models import ConsentForm, User
from accounts.people.consents import give_consent
from collection.models import (
    Corpus,
    EntryLink,
    FaqEntry,
    Genre,
    Pair,
    Premise,
    Prompt,
    PromptField,
    PromptVersion,
    WorkedExample,
)
from collection.pay import earn
from validation.models import Label, LabelWording, Question

LABELS = ("entailment", "neutral", "contradiction")
WORDINGS = {
    "entailment": "Definitely correct",
    "neutral": "Maybe correct",
    "contradiction": "Definitely incorrect",
}


def make_link(corpus: Corpus, **values: object) -> EntryLink:
    """Makes an entry link for people of Prolific, who prove nothing."""
    usual = {"platform": "prolific", "proof": "none", "name": "wave", "completion_code": "C0DE"}
    return EntryLink.objects.create(corpus=corpus, **usual | values)


def make_corpus(*, slug: str = "small", with_consent: bool = False, **fields: object) -> Corpus:
    """Makes a corpus with one genre, one prompt in version 1, and a main question."""
    form = None
    if with_consent:
        form = ConsentForm.objects.create(
            title="Before you begin",
            text="We collect sentences.",
            digest=ConsentForm.digest_of("Before you begin", slug),
        )
    corpus = Corpus.objects.create(slug=slug, name=f"The {slug} corpus", consent_form=form, **fields)
    prompt = Prompt.objects.create(corpus=corpus, slug="fiction", name="Fiction")
    version = PromptVersion.objects.create(
        prompt=prompt, number=1, instructions="Read the line and write.", pay_cents=30, digest="1"
    )
    order_of_fields = list(enumerate(("entailment", "contradiction", "neutral")))
    PromptField.objects.bulk_create(
        PromptField(
            version=version,
            order=order,
            label=label,
            wording=f"Write one sentence that is {WORDINGS[label].lower()}.",
        )
        for order, label in order_of_fields
    )
    WorkedExample.objects.bulk_create(
        WorkedExample(
            version=version, order=order, premise="A cat sleeps.", label=label, hypothesis="An animal rests."
        )
        for order, label in order_of_fields
    )
    FaqEntry.objects.create(version=version, order=0, question="How long?", answer="A sentence.")
    Genre.objects.create(corpus=corpus, slug="fiction", name="Fiction", prompt=prompt)
    question = Question.objects.create(
        corpus=corpus, scheme=corpus.scheme, wording="How do they relate?", pay_cents=5
    )
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=WORDINGS[label])
        for order, label in enumerate(LABELS)
    )
    return corpus


def make_arm(corpus: Corpus, slug: str, *, root: str = "fiction", **fields: object) -> Prompt:
    """Makes another arm of a prompt, with one version that asks for the same sentences."""
    of = Prompt.objects.get(corpus=corpus, slug=root)
    arm = Prompt.objects.create(corpus=corpus, slug=slug, name=slug.title(), arm_of=of, **fields)
    version = PromptVersion.objects.create(
        prompt=arm, number=1, instructions=f"Write as {slug} says.", pay_cents=40, digest=slug
    )
    PromptField.objects.bulk_create(
        PromptField(version=version, order=each.order, label=each.label, wording=each.wording)
        for each in PromptField.objects.filter(version__prompt=of)
    )
    return arm


def ask(corpus: Corpus, slug: str, *, scheme: str = "nli3", seats: int = 5, **fields: object) -> Question:
    """Makes a question beside the main one; unless `threshold` says otherwise, more than half of its labels decide."""
    named = {"threshold": seats // 2 + 1, **fields}
    return Question.objects.create(
        corpus=corpus, slug=slug, is_main=False, scheme=scheme, seats=seats, **named
    )


def agreed(user: User, corpus: Corpus) -> User:
    """Returns the person after they agreed to the corpus's consent form, if it has one."""
    if corpus.consent_form is not None:
        give_consent(user=user, form=corpus.consent_form)
    return user


def make_premise(corpus: Corpus, text: str, *, genre: str = "fiction", **fields: object) -> Premise:
    """Makes a premise; its public id is the beginning of its digest."""
    return make_premises(corpus, [text], genre=genre, **fields)[0]


def make_premises(
    corpus: Corpus, texts: Sequence[str], *, genre: str = "fiction", **fields: object
) -> list[Premise]:
    """Makes premises, by two queries; returns them in their order."""
    found = corpus.genres.get(slug=genre)
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return Premise.objects.bulk_create(
        Premise(
            corpus=corpus,
            genre=found,
            text=text,
            digest=digest,
            **{"public_id": digest[:12], "group": digest[:12], **fields},
        )
        for text, digest in zip(texts, digests, strict=True)
    )


def make_pair(corpus: Corpus, premise: Premise, hypothesis: str, **fields: object) -> Pair:
    return Pair.objects.create(
        corpus=corpus, premise=premise, hypothesis=hypothesis, scheme=corpus.scheme, **fields
    )


def paid_corpus() -> Corpus:
    """Returns a corpus for tests that need one only to pay somebody; makes it at the first call."""
    return Corpus.objects.get_or_create(slug="paid", name="Paid work")[0]


def pay(
    user: User,
    *,
    cents: int,
    key: str,
    reason: str = "work",
    corpus: Corpus | None = None,
    kind: str = "labels",
) -> None:
    """Pays somebody in this corpus, by default that of `paid_corpus`, and for labels."""
    corpus = corpus or paid_corpus()
    earn(user=user, corpus_id=corpus.pk, kind=kind, cents=cents, reason=reason, key=key)


def new_label(question: Question, pair: Pair, label: str | None, **fields: Any) -> Label:
    """Returns a label that is not stored yet; one that somebody gives here is given now."""
    is_cast = label is not None and fields.get("origin", "cast") == "cast"
    shared = {
        "premise_id": pair.premise_id,
        "scheme": question.scheme,
        "cast_at": timezone.now() if is_cast else None,
    }
    return Label(question=question, pair=pair, label=label, **{**shared, **fields})


def add_label(question: Question, pair: Pair, label: str | None, **fields: Any) -> Label:
    made = new_label(question, pair, label, **fields)
    made.save(force_insert=True)
    return made
