"""Statistics of extra labels, which never decide a gold label: of single premises, and beyond the seats."""

from collections import defaultdict
from typing import Any

from django.db.models import Count, Q

from collection.models import Pair
from nli.agreement import SinglePremises, entropy, share
from nli.gold import Rule
from validation.gold.queries import with_gold_label
from validation.models import Label, Question


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
    labels = Label.objects.in_seats().filter(question=single, sentence__gt=0)
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(single.labels)}
    rule = Rule(single.scheme, single.seats, single.threshold, gold_scheme=question.rule.gold_scheme)
    judged: defaultdict[int, list[str | None]] = defaultdict(list)
    for pair, _, *fallen in labels.order_by().values_list("pair", "sentence").annotate(**votes):
        if sum(fallen) == single.seats:
            judged[pair].append(rule.voted(fallen))
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id, pk__in=labels.values("pair"))
    known: Any = with_gold_label(pairs, question)
    gold = known.filter(gold_label__isnull=False)
    counted = SinglePremises()
    for pk, sentences, label in gold.values_list("pk", "premise__sentence_count", "gold_label"):
        if len(judged[pk]) >= sentences:
            counted.add(label, judged[pk])
    figures = counted.figures(votes_for_three_labels=question.scheme == "nli3")
    return figures and {"question": single.slug, **figures}


def more_labels(question: Question) -> dict[str, Any] | None:
    """Measures how much the labels beyond the seats disagree (ChaosNLI, Nie et al. 2020); None if there are none.

    `shares`: label -> its share of these labels. `entropy`: in bits, the mean over pairs. `differs`: the share of the
    pairs with a gold label whose gold label is not the most frequent among these labels, nor tied for it.
    """
    labels = Label.objects.cast().filter(
        question=question, sentence=0, position__gt=question.seats, pair__withdrawn_at=None
    )
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    fallen = {pair: tuple(rest) for pair, *rest in labels.order_by().values_list("pair").annotate(**votes)}
    if not fallen:
        return None
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
        "entropy": sum(map(entropy, fallen.values())) / len(fallen),
        "differs": share(differs, known),
    }
