"""Pauses all work of a corpus, archives a corpus that is over, and undoes both."""

from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from collection.models import Corpus


def pause(*, corpus: Corpus) -> bool:
    """Lets nobody begin anything new; what is begun can be sent. Returns whether it changed anything."""
    return _changed(corpus, {"paused_at": None}, paused_at=timezone.now())


def resume(*, corpus: Corpus) -> bool:
    """Lets people begin again, unless the corpus is archived. Returns whether it changed anything."""
    return _changed(corpus, {"archived_at": None, "paused_at__isnull": False}, paused_at=None)


def archive(*, corpus: Corpus) -> bool:
    """Takes a corpus out of the list of corpora, and pauses it. Returns whether it changed anything."""
    now = timezone.now()
    return _changed(corpus, {"archived_at": None}, archived_at=now, paused_at=Coalesce(F("paused_at"), now))


def restore(*, corpus: Corpus) -> bool:
    """Puts an archived corpus back into the list; its work stays paused. Returns whether it changed anything."""
    return _changed(corpus, {"archived_at__isnull": False}, archived_at=None)


def _changed(corpus: Corpus, only: dict[str, object], **values: object) -> bool:
    """Sets columns by one statement, if the corpus is in the state for it."""
    return bool(Corpus.objects.filter(pk=corpus.pk, **only).update(**values))
