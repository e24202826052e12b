"""Which rows of the records a researcher sees: one table for all lists of the admin. Administrators see all."""

from collections.abc import Callable
from functools import partial

from django.db.models import Q, Subquery

from accounts.models import ConsentForm, Qualification, User
from collection.models import Corpus, Exam
from collection.models.querysets import SEES_PEOPLE, SEES_RESULTS, in_corpora_of
from validation.annotators.people import people_of
from validation.models import Question

# What asks for a qualification or gives it: the row, its column, the way from the row to the corpus.
USES = (
    (Corpus, "writing_qualification", "pk"),
    (Question, "qualification", "corpus"),
    (Exam, "qualification", "corpus"),
)


def _of_people(user: User) -> Q:
    """Returns the filter for rows about a person (`user`)."""
    return Q(user__in=Subquery(User.objects.filter(people_of(user)).values("pk")))


def _forms(user: User) -> Q:
    """Returns the filter for consent forms: those of their corpora. An earlier text of a corpus is an administrator's."""
    return in_corpora_of(user, "corpus")


def _used(user: User | None) -> Q:
    """Returns the filter for qualifications that one of their corpora asks for or gives; of None: that any does."""
    found = Q()
    for model, name, way in USES:
        rows = model._default_manager.exclude(**{name: None}).filter(in_corpora_of(user, way))
        found |= Q(pk__in=rows.values(name))
    return found


def _qualifications(user: User) -> Q:
    """Returns the filter for qualifications: those of their corpora, and those of no corpus."""
    return _used(user) | ~_used(None)


def _grants(user: User) -> Q:
    """Returns the filter for qualifications of people: those of their corpora, of their people, and what they gave."""
    seen = Q(qualification__in=Qualification.objects.filter(_qualifications(user)))
    used = Q(qualification__in=Qualification.objects.filter(_used(user)))
    return seen & (used | _of_people(user) | Q(granted_by=user))


def _rows(path: str, roles: tuple[str, ...]) -> Callable[[User], Q]:
    return partial(in_corpora_of, path=path, roles=roles)


# Model of a list -> what a researcher sees of it. A model without a row here shows nothing.
SEEN: dict[str, Callable[[User], Q]] = {
    "accounts.user": people_of,
    "accounts.apitoken": lambda user: Q(),  # only administrators may look at any
    "accounts.consent": lambda user: _of_people(user) & Q(form__in=ConsentForm.objects.filter(_forms(user))),
    "accounts.grant": _grants,
    "accounts.consentform": _forms,
    "accounts.qualification": _qualifications,
    "collection.corpus": _rows("pk", ()),
    "collection.droppedline": _rows("genre__corpus", SEES_RESULTS),
    "collection.entrylink": _rows("corpus", SEES_PEOPLE),
    "collection.exam": _rows("corpus", ()),
    "collection.examattempt": _rows("exam__corpus", SEES_PEOPLE),
    "collection.genre": _rows("corpus", ()),
    "collection.ledgerentry": _rows("corpus", SEES_PEOPLE),
    "collection.pair": _rows("corpus", SEES_RESULTS),
    "collection.premise": _rows("corpus", SEES_RESULTS),
    "collection.problemreport": _rows("assignment__corpus", SEES_PEOPLE),
    "collection.prompt": _rows("corpus", ()),
    "collection.promptversion": _rows("prompt__corpus", ()),
    "collection.source": _rows("corpus", SEES_RESULTS),
    "collection.visit": _rows("link__corpus", SEES_PEOPLE),
    "collection.writingassignment": _rows("corpus", SEES_PEOPLE),
    "modeling.evaluation": lambda user: (
        _rows("run__snapshot__corpus", SEES_RESULTS)(user) & _rows("snapshot__corpus", SEES_RESULTS)(user)
    ),
    "modeling.trainingrun": _rows("snapshot__corpus", SEES_RESULTS),
    "modeling.worker": lambda user: Q(),
    "snapshots.snapshot": _rows("corpus", SEES_RESULTS),
    "validation.label": _rows("question__corpus", SEES_RESULTS),
    "validation.membership": _rows("question__corpus", SEES_PEOPLE),
    "validation.question": _rows("corpus", ()),
}
