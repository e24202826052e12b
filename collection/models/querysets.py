"""Named conditions on corpora, premises, writing and pairs."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import connection, models
from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce, Lower

from accounts.models import User
from collection.advice import fold
from collection.models.withdrawal import WITHHELD


def is_leased(now: datetime, path: str = "") -> Q:
    """Returns a filter for seats or batches whose lease has not expired; `path` leads to them from another table."""
    return Q(**{f"{path}leased_until__gt": now})


def fooled() -> Q:
    """Returns a condition on guidance: the run gave another label than the author to the sentence that was sent."""
    return ~Q(model_answer="") & ~Q(model_answer=F("pair__author_label"))


def in_corpora_of(user: User | None, path: str, roles: Collection[str] = ()) -> Q:
    """Returns a filter for rows of the corpora of `CorpusQuerySet.of`. path: leads from a row to its corpus."""
    if user is None or (user.is_administrator and not user.bound_to):
        return Q()
    corpora: CorpusQuerySet = apps.get_model("collection", "Corpus").objects.of(user, roles)
    return Q(**{f"{path}__in": corpora.values("pk")})


def is_unleased(now: datetime) -> Q:
    """Returns the condition on seats that nobody has leased, or whose lease has ended."""
    return Q(leased_until=None) | Q(leased_until__lte=now)


class WritingAssignmentQuerySet(models.QuerySet):
    def handed_to(self, annotator: models.Model) -> "WritingAssignmentQuerySet":
        """Filters this annotator's tasks, with all fields that their page shows."""
        tasks = self.filter(annotator=annotator)
        return tasks.select_related(
            "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt__arm_of"
        ).prefetch_related("prompt_version__fields", "prompt_version__faq")

    def given_since(self, annotator: models.Model, since: datetime, corpus: OuterRef) -> Subquery:
        """Returns a subquery: how many tasks of the corpus this person has claimed since then; NULL for none."""
        mine = self.filter(annotator=annotator.pk, corpus=corpus, created_at__gte=since).order_by()
        return Subquery(mine.values("corpus").annotate(n=Count("pk")).values("n"))

    def with_words(self) -> "WritingAssignmentQuerySet":
        """Adds the texts, with what came back to the writer, and the advice that was given on them."""
        pairs = self.model._meta.apps.get_model("collection", "Pair").objects
        returned = models.Prefetch("pairs", pairs.select_related("returned", "mends"))
        return self.prefetch_related(returned, "advice")

    def sent(self) -> "WritingAssignmentQuerySet":
        """Filters tasks whose texts were submitted, surplus ones included: all of them are paid."""
        return self.filter(outcome__in=self.model.SENT)  # type: ignore[attr-defined]

    def with_drafts_left(self) -> "WritingAssignmentQuerySet":
        """Filters ended tasks with a draft, first the expired ones, which can still be submitted and are paid."""
        left = self.exclude(closed_at=None).exclude(outcome__in=self.model.SENT)  # type: ignore[attr-defined]
        # Of the outcomes left, "expired" is the first in the alphabet.
        return left.filter(drafts__isnull=False).distinct().order_by("outcome", "-pk")


# Roles of members (CorpusMember.Role) by what they see: texts, labels and results, or the people who work.
SEES_RESULTS = ("owner", "researcher", "reader")
SEES_PEOPLE = ("owner", "researcher", "manager")
CHANGES = ("owner", "researcher")


class CorpusQuerySet(models.QuerySet):
    def of(self, user: User | None, roles: Collection[str] = ()) -> "CorpusQuerySet":
        """Keeps the corpora that this researcher belongs to, in one of these roles; in any if none is named.

        An administrator belongs to all, and so does None: a worker, or a command that acts in nobody's name. Under a
        token that is bound to a corpus, only that one is left.
        """
        if user is None:
            return self.all()
        bound = self.filter(slug=user.bound_to) if user.bound_to else self.all()
        if user.is_administrator:
            return bound
        theirs = user.corpus_memberships.filter(role__in=roles) if roles else user.corpus_memberships.all()
        return bound.filter(pk__in=theirs.values("corpus"))

    def written_for_by(self, annotator: models.Model) -> "CorpusQuerySet":
        """Keeps corpora in which this person has claimed a task, the latest first."""
        tasks = self.model._meta.apps.get_model("collection", "WritingAssignment").objects
        mine = tasks.filter(annotator=annotator.pk, corpus=OuterRef("pk")).order_by("-pk")
        return self.annotate(latest=Subquery(mine.values("pk")[:1])).exclude(latest=None).order_by("-latest")


class CorpusTextQuerySet(models.QuerySet):
    def newest_first(self, before: int | None = None) -> "CorpusTextQuerySet":
        """Orders by key, newest first, with who loaded them; for a page, keeps those older than the text `before`."""
        older = self.filter(pk__lt=before) if before else self
        return older.select_related("loaded_by").order_by("-pk")


class PromptQuerySet(models.QuerySet):
    def with_pilot_counts(self) -> "PromptQuerySet":
        """Adds `pilot_count`: how many people are chosen to try the prompt out."""
        return self.annotate(pilot_count=Count("pilots"))

    def arms_of(self, root: Any) -> "PromptQuerySet":
        """Keeps a prompt and its other arms. `root`: its key, or a reference to it."""
        return self.filter(Q(pk=root) | Q(arm_of=root))


class PromptVersionQuerySet(models.QuerySet):
    def newest(self) -> "PromptVersionQuerySet":
        """Keeps the newest version of each prompt: that under which new tasks are given, shown and paid."""
        newer = self.model._default_manager.filter(prompt=OuterRef("prompt"), number__gt=OuterRef("number"))
        return self.filter(~Exists(newer))


class GenreQuerySet(models.QuerySet):
    def writable_by(self, annotator: models.Model) -> "GenreQuerySet":
        """Keeps genres whose prompt is open, or piloted by this person; `is_piloted` says which of the two.

        Of a prompt with arms, the person's own arm is open, or any for somebody who belongs to none yet.
        """
        model = self.model._meta.apps.get_model
        pilots = model("collection", "PilotWriter").objects.filter(annotator=annotator.pk)
        versions = model("collection", "PromptVersion").objects.filter(prompt=OuterRef("prompt"))
        draws = model("collection", "ArmDraw").objects.filter(annotator=annotator.pk)
        drawn = draws.filter(root=OuterRef(OuterRef("prompt")))
        arms = model("collection", "Prompt").objects.arms_of(OuterRef("prompt")).exclude(status="closed")
        mine = arms.filter(Exists(drawn.filter(arm=OuterRef("pk"))) | ~Exists(drawn))
        # Who wrote under an arm before it was one stays with it, and has no draw yet: `arms.version_for`.
        tasks = model("collection", "WritingAssignment").objects.filter(annotator=annotator.pk)
        closed = model("collection", "Prompt").objects.arms_of(OuterRef("prompt")).filter(status="closed")
        closed = closed.filter(Q(arm_of=None, drawn_by="writer") | Q(arm_of__drawn_by="writer"))
        left = closed.filter(Exists(tasks.filter(prompt_version__prompt=OuterRef("pk"))), ~Exists(drawn))
        is_piloted = ExpressionWrapper(Q(prompt__status="pilot"), output_field=BooleanField())
        may_pilot = ~Q(prompt__status="pilot") | Exists(pilots.filter(prompt=OuterRef("prompt")))
        return self.filter(may_pilot, Exists(mine), ~Exists(left), Exists(versions)).annotate(
            is_piloted=is_piloted
        )

    def with_next_turn(self, annotator: models.Model, now: datetime) -> "GenreQuerySet":
        """Adds `next_turn`, the turn of the first seat that this person can claim, or NULL. After `writable_by`.

        Reads one entry of the index of unwritten seats for each genre. The lower the turn, the fewer of its
        seats are written.
        """
        seats = self.model._meta.apps.get_model("collection", "WritingSeat").objects
        free = seats.to_write(OuterRef("pk"), OuterRef("is_piloted")).free_for(annotator, now)
        return self.annotate(next_turn=Subquery(free.values("turn")[:1]))

    def upsetting(self) -> "GenreQuerySet":
        """Keeps genres whose texts may upset: their prompt, or an open arm of it, has a warning (`care`)."""
        newest = self.model._meta.apps.get_model("collection", "PromptVersion").objects.newest()
        is_arm = Q(prompt__arm_of=OuterRef("prompt")) & ~Q(prompt__status="closed")
        of = newest.filter(Q(prompt=OuterRef("prompt")) | is_arm)
        return self.filter(Exists(of.exclude(care="")))


class ProblemReportQuerySet(models.QuerySet):
    def unanswered(self) -> "ProblemReportQuerySet":
        return self.filter(answered_at=None)

    def answered(self) -> "ProblemReportQuerySet":
        """Keeps answered reports, the latest answer first."""
        return self.filter(answered_at__isnull=False).order_by("-answered_at")

    def oldest_first(self) -> "ProblemReportQuerySet":
        return self.order_by("pk")

    def with_tasks(self) -> "ProblemReportQuerySet":
        """Adds task, writer, premise, and `people`: how many wait for an answer about that premise."""
        reports = self.model._meta.apps.get_model("collection", "ProblemReport").objects
        same = reports.unanswered().filter(assignment__seat__premise=OuterRef("assignment__seat__premise"))
        people = (
            same.order_by()
            .values("assignment__seat__premise")
            .annotate(n=Count("assignment__annotator", distinct=True))
        )
        return self.select_related(
            "assignment__annotator", "assignment__seat__premise__genre", "answered_by"
        ).annotate(people=Subquery(people.values("n")))

    def made_by(self, annotator: models.Model) -> "ProblemReportQuerySet":
        """Keeps this annotator's reports, newest first, with their premises."""
        reports = self.filter(assignment__annotator=annotator.pk).order_by("-pk")
        return reports.select_related("assignment__seat__premise", "assignment__corpus")


class PremiseQuerySet(models.QuerySet):
    def open(self) -> "PremiseQuerySet":
        """Keeps premises that may be shown to writers."""
        return self.filter(status="open")


class DroppedLineQuerySet(models.QuerySet):
    def not_restored(self) -> "DroppedLineQuerySet":
        return self.filter(restored_as=None)


class SeatQuerySet(models.QuerySet):
    """Seats of writers."""

    def unwritten(self) -> "SeatQuerySet":
        return self.filter(submitted_at=None)

    def real(self) -> "SeatQuerySet":
        """Leaves out seats of pilots, which count nowhere."""
        return self.filter(is_pilot=False)

    def claimable_by(self, annotator: models.Model, now: datetime) -> "SeatQuerySet":
        """Keeps unwritten seats that this person holds, or that nobody else holds now."""
        free = Q(annotator=annotator.pk) | Q(annotator=None) | is_unleased(now)
        return self.unwritten().filter(free)

    def to_write(self, genre: Any, is_piloted: Any) -> "SeatQuerySet":
        """Keeps unwritten seats of open premises of a genre: those of pilots while its prompt is piloted, else the others.

        `genre`, `is_piloted`: as `GenreQuerySet.writable_by` returns them, or references to them.
        """
        return self.unwritten().filter(genre=genre, is_pilot=is_piloted, premise__status="open")

    def free_for(self, annotator: models.Model, now: datetime) -> "SeatQuerySet":
        """Filters seats that nobody holds now, of premises that this annotator never claimed; the next first."""
        return self.unheld_at(now).not_touched_by(annotator).order_by("turn")

    def unheld_at(self, now: datetime) -> "SeatQuerySet":
        """Keeps seats without a current lease."""
        return self.filter(is_unleased(now))

    def not_touched_by(self, annotator: models.Model) -> "SeatQuerySet":
        """Leaves out premises that this annotator has claimed before, skipped ones too."""
        assignments = self.model._meta.apps.get_model("collection", "WritingAssignment").objects
        touched = assignments.filter(annotator=annotator.pk, seat__premise=models.OuterRef("premise"))
        return self.filter(~models.Exists(touched))


class PairQuerySet(models.QuerySet):
    def standing(self) -> "PairQuerySet":
        """Keeps pairs that count: those not withdrawn."""
        return self.filter(withdrawn_at=None)

    def withheld(self) -> "PairQuerySet":
        """Keeps pairs whose labels are withheld: they count nowhere, and a freeze takes them in."""
        return self.filter(withdrawn_because=WITHHELD)

    def shown(self) -> "PairQuerySet":
        """Leaves out pairs whose labels are withheld. Withdrawn ones stay."""
        return self.exclude(withdrawn_because=WITHHELD)

    def to_freeze(self) -> "PairQuerySet":
        """Keeps pairs that a snapshot can hold: those that count, and those whose labels are withheld."""
        return self.filter(Q(withdrawn_at=None) | Q(withdrawn_because=WITHHELD))

    def used_before(self, texts: Iterable[str], *, besides: models.Model) -> set[str]:
        """Returns those of the texts, folded, that these pairs have already; the assignment `besides` does not count.

        Compares small letters, with and without a full stop: as near to `fold` as a database gets.
        """
        bare = {text.strip().rstrip(".!?").lower() for text in texts} - {""}
        spellings = [text + end for text in bare for end in ("", ".", "!", "?")]
        found = self.annotate(small=Lower("hypothesis")).filter(small__in=spellings)
        return {
            fold(text) for text in found.exclude(assignment=besides.pk).values_list("hypothesis", flat=True)
        }

    def with_texts(self) -> "PairQuerySet":
        return self.select_related("premise", "premise__genre")

    def with_words(self, words: str, corpus: int) -> "PairQuerySet":
        """Keeps pairs that have these words, one after the other, in premise or hypothesis. corpus: the key of theirs.

        Premises are read once, not once for each of their pairs.
        """
        premises = self.model._meta.apps.get_model("collection", "Premise").objects
        found = premises.filter(corpus=corpus, text__has_words=words).values("pk")
        return self.filter(Q(hypothesis__has_words=words) | Q(premise__in=found))

    def by_genre(self, slug: str) -> "PairQuerySet":
        return self.filter(premise__genre__slug=slug)


# Every entry of a person is in one of these states. Those of simulated annotators, who are never paid, are in none.
# People are a subquery, not a join: of two approvals at once, the second then tests `pay_list` anew when it gets the row.
# Keys of pay for reading the instructions of a question about pairs begin so; those for a prompt have its number alone.
READING_OF_QUESTION = "reading:question:"
PAY_STATES = {
    "unapproved": Q(pay_list=None, user__in=Subquery(User.objects.filter(kind="person").values("pk"))),
    "approved": Q(pay_list__isnull=False, pay_list__exported_at=None),
    "exported": Q(pay_list__exported_at__isnull=False, pay_list__paid_at=None),
    "paid": Q(pay_list__paid_at__isnull=False),
}


class PairInSetQuerySet(models.QuerySet):
    def named(self, corpus: int, names: Collection[str]) -> "PairInSetQuerySet":
        """Keeps the places in the corpus's sets of these names."""
        return self.filter(pair_set__corpus=corpus, pair_set__name__in=names)


class LedgerQuerySet(models.QuerySet):
    def newest_first(self, before: int | None = None) -> "LedgerQuerySet":
        """Orders by key, newest first; for a page, keeps the entries older than the one with the id `before`."""
        return (self if before is None else self.filter(pk__lt=before)).order_by("-pk")

    def for_writing(self) -> "LedgerQuerySet":
        for_labels = Q(kind="reading", key__startswith=READING_OF_QUESTION)
        return self.filter(kind__in=["writing", "skip", "reading", "fooled"]).exclude(for_labels)

    def by_corpus(self, today: datetime) -> list[dict[str, Any]]:
        """Returns a row for each corpus that paid: `corpus`, `name`, `payment`, `is_trial`, `total`, `cents_today`.

        `cents_today`: since `today`. `unapproved`, `approved`, `exported` and `paid` are its parts in these states.
        """
        sums = {
            "name": F("corpus__name"),
            "payment": F("corpus__payment"),
            "is_trial": F("corpus__made_for_demo"),
            "cents_today": Coalesce(Sum("cents", filter=Q(created_at__gte=today)), 0),
        }
        sums |= {state: Coalesce(Sum("cents", filter=of), 0) for state, of in PAY_STATES.items()}
        grouped = self.order_by().values("corpus").annotate(total=Sum("cents"), **sums)
        return list(
            grouped.order_by("name").values(
                "corpus", "name", "payment", "is_trial", "total", "cents_today", *PAY_STATES
            )
        )

    def unapproved(self) -> "LedgerQuerySet":
        return self.filter(PAY_STATES["unapproved"])

    def unpaid(self) -> "LedgerQuerySet":
        return self.exclude(PAY_STATES["paid"])

    def of_real_studies(self) -> "LedgerQuerySet":
        """Without trial runs, which show sums and pay nothing."""
        return self.filter(corpus__made_for_demo=False)

    def total_cents(self) -> int:
        return self.aggregate(total=Sum("cents"))["total"] or 0


class ReturnedTextQuerySet(models.QuerySet):
    def of(self, writer: models.Model) -> "ReturnedTextQuerySet":
        return self.filter(pair__author=writer.pk)


class ExclusionQuerySet(models.QuerySet):
    def standing(self) -> "ExclusionQuerySet":
        return self.filter(undone_at=None)

    def of(self, annotator: models.Model) -> "ExclusionQuerySet":
        """Keeps standing exclusions of this person."""
        return self.standing().filter(annotator=annotator.pk)


class WithholdingQuerySet(models.QuerySet):
    def standing(self) -> "WithholdingQuerySet":
        return self.filter(lifted_at=None)


def refresh_planner(*written: type[models.Model]) -> None:
    """Refreshes the database's statistics of the models' tables after a large import.

    PostgreSQL does this by itself only after a tenth of a table has changed, SQLite never. Without it, both may
    need minutes for queries that need a tenth of a second.
    """
    with connection.cursor() as cursor:
        for model in written:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
