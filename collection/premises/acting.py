"""What researchers do with chosen premises of the list (shared/acting.py)."""

from collections import Counter
from collections.abc import Callable, Iterable

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from collection.errors import NotPossible
from collection.models import Corpus, Premise
from collection.premises.status import drop_premises, open_premises, pause_premises
from shared.acting import Act, Acting, ChosenRows, Effect
from shared.among import Among

WORDS = {
    Premise.Status.OPEN: "open already",
    Premise.Status.PAUSED: "paused already",
    Premise.Status.DROPPED: "dropped",
}


def _plan(*taken: str) -> Callable[[ChosenRows], Effect]:
    """Returns a plan that takes premises in these states, and leaves out the others."""

    def plan(chosen: ChosenRows) -> Effect:
        states = dict(_rows(chosen.keys.values()).values_list("pk", "status"))
        effect = Effect([key for key, status in states.items() if status in taken])
        for status, number in Counter(states.values()).items():
            if status not in taken:
                effect.leave(WORDS[Premise.Status(status)], number)
        return effect

    return plan


def _rows(keys: Iterable[int]) -> QuerySet[Premise]:
    return Premise.objects.filter(Among("pk", list(keys)))


ACTS: dict[str, Act] = {
    "pause": Act(
        "Pause",
        "Writers no longer get {rows}. Who has begun one may finish it. You can open them again at any time.",
        "paused",
        _plan(Premise.Status.OPEN),
        lambda chosen, effect: pause_premises(premises=_rows(effect.keys)),
    ),
    "open": Act(
        "Open again",
        "{rows} are open for writers.",
        "open again",
        _plan(Premise.Status.PAUSED, Premise.Status.DROPPED),
        lambda chosen, effect: open_premises(premises=_rows(effect.keys)),
    ),
    "drop": Act(
        "Drop",
        "{rows} are dropped: writers no longer get them, but who has begun one may finish it. Their pairs stay, and you can"
        " open them again at any time.",
        "dropped",
        _plan(Premise.Status.OPEN, Premise.Status.PAUSED),
        lambda chosen, effect: drop_premises(premises=_rows(effect.keys), reason=chosen.given["reason"]),
        "reason",
        about="shown with the dropped premises",
    ),
}


def act_on_premises(
    request: HttpRequest, corpus: Corpus, passing: Callable[[], Iterable[str]]
) -> HttpResponse:
    """Answers the form of the list of premises. passing: returns the ids of all premises that pass its filters."""

    def chosen(names: list[str], given: dict[str, str]) -> ChosenRows:
        rows = Premise.objects.filter(Among("public_id", names), corpus=corpus)
        return ChosenRows(dict(rows.values_list("public_id", "pk")), given)

    return Acting(
        ACTS, "premise", chosen, (NotPossible,), page=lambda chosen, effect: {"corpus": corpus}
    ).answer(request, passing)
