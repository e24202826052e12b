"""Statistics of extra labels, which never decide a gold label: of single premises, and beyond the seats."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q

from collection.models import Pair
from nli.agreement import Votes, entropy, fleiss_kappa, krippendorff_alpha, share
from nli.single_premises import Comparison, labels_by_votes, premise_rule
from validation.gold.queries import with_gold_label
from validation.models import Label, Question
from validation.models.querysets import is_beyond_seats

PARTS = 20  # of a whole, for places


def question_of_single_premises(question: Question) -> Question | None:
    """Returns the first question of the corpus that asks about each premise by itself, in the same scheme."""
    beside = Question.objects.filter(corpus=question.corpus_id, by_sentence=True, scheme=question.scheme)
    return beside.order_by("pk").first()


def single_premises(question: Question) -> dict[str, Any] | None:
    """Compares the labels of single premises with the gold label of the pair, as MPE (Lai et al. 2017), Table 4.

    It counts pairs with a gold label whose premises each have all labels under `question_of_single_premises`; returns
    None if there is no such pair. `agree`: number of premises that agree -> share of pairs. `more_of_premises`, the
    voting scheme of the paper's section 5.2, exists for nli3 alone.
    """
    single = question_of_single_premises(question)
    if single is None:
        return None
    labels = Label.objects.in_seats_of(single).filter(sentence__gt=0)
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(single.labels)}
    rule = premise_rule(question.rule, single.seats, single.threshold)
    judged: defaultdict[int, dict[int, Votes]] = defaultdict(dict)
    for pair, sentence, *fallen in labels.order_by().values_list("pair", "sentence").annotate(**votes):
        judged[pair][sentence] = tuple(fallen)
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id, pk__in=labels.values("pair"))
    known: Any = with_gold_label(pairs, question)
    gold = known.filter(gold_label__isnull=False)
    counted = Comparison()
    for pk, sentences, label in gold.values_list("pk", "premise__sentence_count", "gold_label"):
        of_premises = labels_by_votes([judged[pk].get(n, ()) for n in range(1, sentences + 1)], rule)
        if of_premises is not None:
            counted.add(label, of_premises)
    figures = counted.figures(rule.gold_labels)
    return figures and {"question": single.slug, **figures}


def place(votes: Sequence[int]) -> str:
    """Returns the share of each label in twentieths, such as "18-2-0".

    The twentieths are rounded by largest remainders, so that they sum up to 20.
    """
    total = sum(votes)
    parts = [PARTS * n // total for n in votes]
    by_remainder = sorted(range(len(votes)), key=lambda k: (-(PARTS * votes[k] % total), k))
    for k in by_remainder[: PARTS - sum(parts)]:
        parts[k] += 1
    return "-".join(map(str, parts))


def more_labels(question: Question) -> dict[str, Any] | None:
    """Measures how much the labels beyond the seats disagree (ChaosNLI, Nie et al. 2020); None if there are none.

    `shares`: label -> its share of these labels. `places`: shares of a pair's labels in twentieths, in the order of
    the labels, such as "18-2-0" -> number of pairs. `entropy`: in bits, the mean over pairs. `fleiss_kappa`: only where
    all these pairs have equally many; `krippendorff_alpha`: over those with two or more. `differs`: among the
    pairs with a gold label, the share whose gold label is neither the most frequent of these labels nor tied with
    it.
    """
    labels = Label.objects.cast().filter(
        is_beyond_seats(question.seats), question=question, sentence=0, pair__withdrawn_at=None
    )
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    fallen = {pair: tuple(rest) for pair, *rest in labels.order_by().values_list("pair").annotate(**votes)}
    if not fallen:
        return None
    counted = Counter(fallen.values())
    equally_many = len({sum(each) for each in counted}) == 1
    totals = [sum(column) for column in zip(*fallen.values(), strict=True)]
    pairs = Pair.objects.filter(pk__in=labels.values("pair"))
    rows: Any = with_gold_label(pairs, question)
    rule = question.rule
    differs = known = 0
    for pk, label in rows.filter(gold_label__isnull=False).values_list("pk", "gold_label"):
        if pk in fallen:
            known += 1
            most = max(fallen[pk])
            leading = [rule.reads[each] for each, n in zip(rule.labels, fallen[pk], strict=True) if n == most]
            differs += label not in leading
    return {
        "pairs": len(fallen),
        "labels": sum(totals),
        "shares": {label: n / sum(totals) for label, n in zip(question.labels, totals, strict=True)},
        "places": dict(sorted(Counter(map(place, fallen.values())).items())),
        "entropy": sum(map(entropy, fallen.values())) / len(fallen),
        "fleiss_kappa": fleiss_kappa(counted, question.labels)["overall"] if equally_many else None,
        "krippendorff_alpha": krippendorff_alpha(counted, ordinal=rule.ordinal),
        "differs": share(differs, known),
    }
