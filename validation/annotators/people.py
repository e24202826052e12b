"""Which people a researcher sees: those who have to do with one of their corpora."""

from django.db.models import Exists, Model, OuterRef, Q

from accounts.models import User
from collection.models import (
    CorpusMember,
    ExamAttempt,
    Exclusion,
    Invitation,
    LedgerEntry,
    Pair,
    PilotWriter,
    SignUp,
    Visit,
    WritingAssignment,
)
from collection.models.querysets import SEES_PEOPLE, in_corpora_of
from validation.models import Assignment, Label, Membership

# Where somebody has to do with a corpus: the row, its person, the way from the row to the corpus.
WAYS: tuple[tuple[type[Model], str, str], ...] = (
    (CorpusMember, "user", "corpus"),
    (Membership, "annotator", "question__corpus"),
    (WritingAssignment, "annotator", "corpus"),
    (Assignment, "annotator", "question__corpus"),
    (Label, "annotator", "question__corpus"),
    (Pair, "author", "corpus"),
    (LedgerEntry, "user", "corpus"),
    (Visit, "user", "link__corpus"),
    (SignUp, "user", "corpus"),
    (ExamAttempt, "annotator", "exam__corpus"),
    (Exclusion, "annotator", "corpus"),
    (Invitation, "user", "corpus"),
    (PilotWriter, "annotator", "prompt__corpus"),
)


def people_of(user: User | None) -> Q:
    """Returns the filter for the people whom this researcher sees: members and workers of their corpora, and themselves.

    None, and an administrator, see everybody: `CorpusQuerySet.of`.
    """
    if not in_corpora_of(user, "pk"):
        return Q()
    assert user is not None
    seen = Q(pk=user.pk)
    for model, person, path in WAYS:
        rows = model._default_manager.filter(
            in_corpora_of(user, path, SEES_PEOPLE), **{person: OuterRef("pk")}
        )
        seen |= Q(Exists(rows))
    return seen
