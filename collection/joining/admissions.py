"""Which corpora somebody who came through a platform's link may work in: those of the links alone."""

from django.db.models import Exists, OuterRef, Q

from accounts.models import PlatformIdentity, User
from collection.models import Corpus, Visit


def opened_to(annotator: User, corpus: str = "pk") -> Q:
    """A condition on corpora (or on rows whose field `corpus` names one): no platform sent this person, or a link of it did.

    What a researcher gives by name (an invitation, a place in a pool) needs no link.
    """
    came = Visit.objects.filter(user=annotator, link__corpus=OuterRef(corpus))
    return ~Q(Exists(PlatformIdentity.objects.filter(user=annotator))) | Q(Exists(came))


def is_open_to(annotator: User, corpus_id: int) -> bool:
    """The same for one corpus."""
    return Corpus.objects.filter(opened_to(annotator), pk=corpus_id).exists()
