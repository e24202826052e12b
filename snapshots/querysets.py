"""Named queries about snapshots."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import User
from collection.models.querysets import SEES_RESULTS, in_corpora_of
from jobs.querysets import JobQuerySet
from nli.labels import NO_GOLD
from shared.facets import several


class SnapshotQuerySet(JobQuerySet):
    def of(self, user: User | None, roles: Collection[str] = SEES_RESULTS) -> "SnapshotQuerySet":
        """Keeps the snapshots of corpora whose results this researcher sees: see `CorpusQuerySet.of`."""
        return self.filter(in_corpora_of(user, "corpus", roles))

    def frozen(self) -> "SnapshotQuerySet":
        return self.filter(status="frozen")

    def newest_first(self) -> "SnapshotQuerySet":
        return self.order_by("-id").select_related("corpus", "requested_by")

    def named(self, name: str) -> "SnapshotQuerySet":
        """Filters by a name CORPUS@VERSION; none if the name has another form."""
        slug, at, version = name.partition("@")
        if not at or not version.isascii() or not version.isdigit() or len(version) > 9:
            return self.none()
        return self.filter(corpus__slug=slug, version=int(version)).select_related("corpus")


class StatisticsQuerySet(JobQuerySet):
    def current(self, editions: Mapping[str, int]) -> "StatisticsQuerySet":
        """Filters by the current definitions: `editions` has the current edition of each kind."""
        return self.filter(
            Q.create([Q(kind=kind, edition=edition) for kind, edition in editions.items()], Q.OR)
        )


class SnapshotPairQuerySet(models.QuerySet):
    def named(self, snapshot: Any, names: Collection[str]) -> "SnapshotPairQuerySet":
        """Filters by the ids of pairs. Without the corpus, PostgreSQL would read the ids of all corpora."""
        return self.filter(snapshot=snapshot, pair__corpus=snapshot.corpus_id, pair__public_id__in=names)

    def chosen(
        self,
        *,
        partition: str | Collection[str] = (),
        genre: str | Collection[str] = (),
        label: str | Collection[str] = (),
        source: str | Collection[str] = (),
    ) -> "SnapshotPairQuerySet":
        """Filters by partition, genre (slug), gold label ("-": none) and its source: a value, or several; none: all."""
        columns = {"partition": partition, "pair__premise__genre__slug": genre, "gold_source": source}
        rows = self.filter(**{f"{name}__in": several(wish) for name, wish in columns.items() if wish})
        if labels := several(label):
            none = Q(gold_label=None) if NO_GOLD in labels else Q()
            rows = rows.filter(Q(gold_label__in=labels) | none)
        return rows


class AnswerQuerySet(models.QuerySet):
    def standing(self, until: datetime | None = None) -> dict[str, str]:
        """Returns the newest answer to each question, by key, at the time `until` (None: now)."""
        rows = self if until is None else self.filter(answered_at__lte=until)
        return dict(rows.order_by("id").values_list("question", "text"))
