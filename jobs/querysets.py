"""Reads about background jobs."""

from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Case, Q, Value, When
from django.utils import timezone

# A worker writes a heartbeat every few seconds. After this time without one, another worker may claim its job.
STALE_AFTER = timedelta(seconds=60)
ABANDONED, BEGUN, NEW = range(3)  # the turns of claimable jobs


def stale_before() -> datetime:
    """Returns the time before which a heartbeat is too old."""
    return timezone.now() - STALE_AFTER


class JobQuerySet(models.QuerySet):
    """Queries that every kind of job has."""

    @property
    def kind(self) -> Any:
        """The subclass of jobs.models.Job."""
        return self.model

    def waiting(self) -> Any:
        return self.filter(status=self.kind.WAITING)

    def under_way(self) -> Any:
        return self.filter(status__in=self.kind.are_under_way())

    def stale(self) -> Any:
        """Claimed jobs whose worker has written no heartbeat for STALE_AFTER."""
        return self.filter(self._is_stale())

    def alive(self) -> Any:
        """Claimed jobs whose worker still writes heartbeats."""
        return self.filter(status=self.kind.WORKING, heartbeat_at__gte=stale_before())

    def claimable(self) -> Any:
        """Jobs that a worker may claim: waiting and stale ones."""
        return self.filter(Q(status=self.kind.WAITING) | self._is_stale())

    def claimable_by(self, worker: str) -> Any:
        """Jobs that this worker may claim now."""
        return self.claimable()

    def in_turn(self) -> Any:
        """Puts claimable jobs in order: first those that a worker abandoned, then those that one gave back, the oldest."""
        turn = Case(
            When(self._is_stale(), then=Value(ABANDONED)),
            When(started_at__isnull=False, then=Value(BEGUN)),
            default=Value(NEW),
        )
        return self.annotate(turn=turn).order_by("turn", "requested_at", "pk")

    def _is_stale(self) -> Q:
        return Q(status=self.kind.WORKING, heartbeat_at__lt=stale_before())

    def held_as(self, row: Any) -> Any:
        """The row of `row`, as long as the claim with which it was loaded holds.

        Every claim writes a new token: a worker that lost its claim finds no row here and changes nothing.
        """
        return self.filter(pk=row.pk, status=self.kind.WORKING, claimed_by=row.claimed_by)
