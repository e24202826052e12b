"""What researchers do with chosen rows of a long list (shared/lists.py): a page says first what an act would do and leave
out, and what they confirm is one transaction.

A list sends its form to its own address, which holds the filters: so "all that pass" are the rows of that address.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from shared.lists import View
from shared.transactions import one_transaction

LONGEST = 1000  # characters of what the form says
MOST = 100_000  # rows


@dataclass
class Effect:
    """What an act would do, or did. left_out: why -> rows. labels, cents: what validators would give, and get."""

    keys: Collection[int] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    labels: int = 0
    cents: int = 0

    def leave(self, why: str, number: int) -> None:
        if number:
            self.left_out[why] = self.left_out.get(why, 0) + number


@dataclass(frozen=True)
class Act:
    """An act. name: of its button. does, did: what it says before and after, of “{rows}”. field: what the form asks beside
    the rows; about: a few words on it. draws: a number of them may be drawn (`draw` and `seed` of the form), from
    more than `most`. plan: returns the effect of chosen rows, and writes nothing; do: carries it out,
    returns how many it changed."""

    name: str
    does: str
    did: str
    plan: Callable[[Any], Effect]
    do: Callable[[Any, Effect], int]
    field: str = ""
    most: int = MOST
    about: str = ""
    draws: bool = False


@dataclass(frozen=True)
class ChosenRows:
    """Rows that somebody chose. keys: id of a row -> its key. given: what the form says beside them."""

    keys: Mapping[str, int]
    given: Mapping[str, str]


@dataclass(frozen=True)
class Acting:
    """What a list does with its rows. name: of one row. choose: returns the chosen rows of these ids, for `plan` and `do`.
    refusals: errors that are for the researcher; said: their text. page: what its template shows beside; next: where the
    researcher goes on."""

    acts: Mapping[str, Act]
    name: str
    choose: Callable[[list[str], dict[str, str]], Any]
    refusals: tuple[type[Exception], ...]
    template: str = "lists/act.html"
    fields: tuple[str, ...] = ("reason",)
    said: Callable[[Exception], str] = str
    page: Callable[[Any, Effect], dict[str, Any]] = lambda chosen, effect: {}
    next: Callable[[Any, str, str], str] = lambda chosen, do, back: back

    def answer(self, request: HttpRequest, passing: Callable[[], Iterable[str]]) -> HttpResponse:
        """Shows what the act in the form would do, or carries it out once it is confirmed, and leads back to the list.

        passing: returns the ids of all rows that pass the list's filters.
        """
        back, do = View(request, (), {}).address({}), request.POST.get("do", "")
        act = self.acts.get(do)
        if act is None:
            messages.warning(request, f"Choose what to do with the {self.name}s.")
            return redirect(back)
        is_all = request.POST.get("which") == "all"
        given = passing() if is_all else [name.replace("\0", "") for name in request.POST.getlist("pair")]
        most = MOST if act.draws and request.POST.get("draw") else act.most
        names = list(islice(given, most + 1))
        if not names or len(names) > most:
            many = f"{act.name} takes up to {most:,} {self.name}s at a time. Narrow the filters, or do it in parts."
            none = f"No {self.name} was chosen: tick {self.name}s, or choose all that pass."
            messages.warning(request, many if names else none)
            return redirect(back)
        said = {name: request.POST.get(name, "").replace("\0", "")[:LONGEST].strip() for name in self.fields}
        chosen = self.choose(names, said)
        effect, error = Effect(), ""
        try:
            if request.POST.get("confirm") == "yes":
                expected = request.POST.get("expected", "")
                number = int(expected) if expected.isdecimal() and len(expected) < 9 else 0
                if done := carry_out(act, chosen, number):
                    self._tell(request, act, *done)
                    return redirect(self.next(chosen, do, back))
                error = f"The {self.name}s have changed in the meantime. Nothing was done: look again."
            effect = act.plan(chosen)
        except self.refusals as refusal:
            error = self.said(refusal)
            if not effect.keys:
                effect = self._planned(act, chosen)
        context = {
            "name": self.name,
            "do": do,
            "act": act,
            "said": act.does.format(rows=self._rows(len(effect.keys))),
            "which": "all" if is_all else "ticked",
            "names": [] if is_all else names,
            "number": len(chosen.keys),
            "effect": effect,
            "given": chosen.given,
            "back": back,
            "error": error,
            **self.page(chosen, effect),
        }
        return render(request, self.template, context, status=422 if error else 200)

    def _planned(self, act: Act, chosen: Any) -> Effect:
        try:
            return act.plan(chosen)
        except self.refusals:
            return Effect()

    def _rows(self, number: int) -> str:
        return f"{number:,} {self.name}{'' if number == 1 else 's'}"

    def _tell(self, request: HttpRequest, act: Act, effect: Effect, number: int) -> None:
        messages.success(request, f"{self._rows(number)} {'is' if number == 1 else 'are'} {act.did}.")
        if effect.left_out:
            why = "; ".join(f"{count:,} {reason}" for reason, count in effect.left_out.items())
            messages.info(request, f"Left out: {why}.")


@one_transaction
def carry_out(act: Act, chosen: Any, expected: int) -> tuple[Effect, int] | None:
    """Plans again and carries it out. Returns (the plan, rows changed); None, with nothing done, if it would now change
    another number of rows than `expected`. Raises what the act refuses."""
    effect = act.plan(chosen)
    if len(effect.keys) != expected or not expected:
        return None
    return effect, act.do(chosen, effect)
