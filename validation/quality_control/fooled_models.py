"""The bonus for a sentence about which a model in the loop was wrong, once two people upheld its writer's answer."""

from django.db.models import CharField, Count, Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Concat

from collection.models import Guidance, LedgerEntry, Pair
from collection.models.querysets import fooled
from collection.pay import earn, reason_for
from validation.models import Label

UPHOLD = 2  # validators, as Nie et al. 2020 (Adversarial NLI, section 2.1) have it
KEY = "fooled:"


def judged_by(**chosen: OuterRef) -> Coalesce:
    """Returns an expression on Guidance: how many validators judged the pair, in the seats of the main question."""
    theirs = Label.objects.counted().filter(origin__in=["cast", "imported"], position__gt=1)
    theirs = theirs.filter(pair=OuterRef("pair"), **chosen).order_by()
    return Coalesce(Subquery(theirs.values("pair").annotate(number=Count("pk")).values("number")), 0)


def upheld_by() -> Coalesce:
    """Returns an expression on Guidance: how many of them chose the author's answer."""
    return judged_by(label=OuterRef("pair__author_label"))


def bonus_paid() -> Subquery:
    """Returns an expression on Guidance: the cents of the pair's bonus; null where none is paid."""
    return Subquery(_entries().values("cents"))


def _entries() -> QuerySet[LedgerEntry]:
    """Returns the entry that pays a pair's bonus."""
    key = Concat(Value(KEY), Cast(OuterRef("pair"), CharField()), output_field=CharField())
    return LedgerEntry.objects.filter(user=OuterRef("pair__author"), key=key)


def pay_bonuses() -> int:
    """Pays all bonuses that are due and not paid yet. Returns how many.

    Each pair earns one, whoever else pays at the same time: the ledger holds its key once. It stays paid, as all pay does,
    if labels or the pair are withdrawn later.
    """
    due = (
        Guidance.objects.filter(fooled(), pair__withdrawn_at=None, pair__author__isnull=False)
        .filter(pair__prompt_version__bonus_cents__gt=0)
        .annotate(upheld=upheld_by())
        .filter(~Exists(_entries()), upheld__gte=UPHOLD)
        .select_related("pair__author", "pair__prompt_version", "pair__corpus")
    )
    return sum(_pay(each.pair) for each in due if each.pair is not None)


def _pay(pair: Pair) -> bool:
    assert pair.author is not None
    assert pair.prompt_version is not None
    return earn(
        user=pair.author,
        corpus_id=pair.corpus_id,
        kind=LedgerEntry.Kind.FOOLED,
        cents=pair.prompt_version.bonus_cents,
        reason=reason_for(LedgerEntry.Kind.FOOLED, name=pair.corpus.name),
        key=f"{KEY}{pair.pk}",
    )
