"""Decides the next sensible step for a corpus: one sentence and one button. The first rule that holds decides."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse

from accounts.templatetags.money import dollars
from annotation_site.workspace.pipeline import Counts
from annotation_site.workspace.waiting import Waiting
from collection.models import Corpus
from modeling.models import TrainingRun
from snapshots.files.datasheet import blanks
from snapshots.models import DatasheetAnswer, Snapshot
from validation.models import Question
from validation.questions.addresses import address_in

WORTH_OPENING = 50  # pairs
FEW_PEOPLE = 3


@dataclass(frozen=True)
class Step:
    sentence: str
    button: str
    link: str


@dataclass(frozen=True)
class State:
    """The facts that the rules read. `newest`: the newest frozen snapshot, if there is one."""

    corpus: Corpus
    question: Question | None
    counts: Counts
    waiting: list[Waiting]
    newest: Snapshot | None

    @property
    def slug(self) -> str:
        return self.corpus.slug


Rule = Callable[[State], Step | None]


def _no_question(state: State) -> Step | None:
    if state.question is not None:
        return None
    return Step(
        "This corpus has no question for annotators yet.",
        "Say what they are asked",
        reverse("change-corpus", args=[state.slug, "questions"]),
    )


def _nothing_in_it(state: State) -> Step | None:
    if state.counts.premises or state.counts.pairs:
        return None
    if state.corpus.protocol == Corpus.Protocol.ELICITED and state.corpus.prompts.exists():
        where = reverse("import-premises", args=[state.slug])
        return Step("There is no premise to write for yet.", "Import premises", where)
    where = f"{reverse('imports')}?corpus={state.slug}"
    return Step("There is no premise and no pair yet.", "Import the first ones", where)


def _consent_is_not_ready(state: State) -> Step | None:
    form = state.corpus.consent_form
    if form is None or form.is_ready:
        return None
    return Step(
        "The consent text still has a place to fill in, so nobody can start.",
        "Fill in the consent text",
        reverse("change-corpus", args=[state.slug, "consent"]),
    )


def _nobody_writes(state: State) -> Step | None:
    left = state.counts.tasks - state.counts.written
    if left <= 0 or state.counts.writing:
        return None
    return Step(
        f"{left:,} text{' is' if left == 1 else 's are'} free to write for, and nobody wrote in the last 24 hours.",
        "Bring people who write",
        reverse("entry-links", args=[state.slug]),
    )


def _pairs_to_open(state: State) -> Step | None:
    is_made_here = state.counts.tasks or state.corpus.protocol == Corpus.Protocol.JUDGED
    are_all = state.counts.unopened == state.counts.pairs and state.counts.written >= state.counts.tasks
    # Of a small corpus, whose texts are all there, few are worth it, too.
    enough = 1 if are_all else WORTH_OPENING
    if state.question is None or not is_made_here or state.counts.unopened < enough:
        return None
    cost = state.counts.opening_cents
    return Step(
        f"{state.counts.unopened:,} pairs wait to be opened for labelling"
        + (f"; their labels would cost {dollars(cost)}." if cost else "."),
        "Open pairs",
        address_in("open-pairs", state.question),
    )


def _few_people_label(state: State) -> Step | None:
    if state.question is None or not state.counts.open_seats or state.counts.labelling >= FEW_PEOPLE:
        return None
    people, seats = state.counts.labelling, state.counts.open_seats
    who = {0: "nobody", 1: "one person"}.get(people, f"{people} people")
    return Step(
        f"{seats:,} label{' is' if seats == 1 else 's are'} still wanted, and {who} labelled in the last 24 hours.",
        "Invite annotators",
        reverse("invitations", args=[state.slug]),
    )


def _something_waits(state: State) -> Step | None:
    first = next((each for each in state.waiting if each.slug == state.slug), None)
    return Step(f"{first.sentence}.", first.action, first.link) if first else None


def _to_freeze(state: State) -> Step | None:
    # What a snapshot holds depends on its partitions; a larger corpus than the one frozen is worth a look.
    frozen = state.newest.pair_count if state.newest else 0
    if state.counts.open_seats or not state.counts.pairs or frozen >= state.counts.pairs:
        return None
    # Written here, and nobody was asked.
    if state.counts.tasks and state.counts.unopened >= state.counts.pairs:
        return None
    what = (
        "Nothing is frozen yet."
        if state.newest is None
        else f"{state.newest} has {frozen:,} of {state.counts.pairs:,} pairs."
    )
    return Step(
        f"All labels that were asked for are there. {what}",
        "Plan a freeze",
        reverse("freeze-plan", args=[state.slug]),
    )


def _no_bias_check(state: State) -> Step | None:
    if state.newest is None or TrainingRun.objects.filter(snapshot=state.newest).exists():
        return None
    return Step(
        f"{state.newest} is frozen, and no baseline shows yet how much its hypotheses give away.",
        f"Train baselines on {state.newest}",
        reverse("new-run", args=[state.newest.pk]),
    )


def _datasheet(state: State) -> Step | None:
    left = len(blanks(DatasheetAnswer.objects.filter(corpus=state.corpus).standing())) if state.newest else 0
    if not left:
        return None
    return Step(
        f"{left} question{'s' if left > 1 else ''} of the datasheet {'are' if left > 1 else 'is'} not answered, so no"
        " snapshot can be published.",
        "Answer the datasheet",
        reverse("datasheet-answers", args=[state.slug]),
    )


def _publish(state: State) -> Step | None:
    if state.newest is None or state.newest.published_at or state.newest.retracted_at:
        return None
    return Step(
        f"{state.newest} is frozen and its datasheet is answered.",
        f"Look at {state.newest} and publish it",
        reverse("snapshot", args=[state.newest.pk]),
    )


RULES: tuple[Rule, ...] = (
    _no_question,
    _consent_is_not_ready,
    _nothing_in_it,
    _nobody_writes,
    _pairs_to_open,
    _few_people_label,
    _something_waits,
    _to_freeze,
    _no_bias_check,
    _datasheet,
    _publish,
)


def next_step(state: State) -> Step | None:
    """Returns the step of the first rule that holds; None if nothing is to be done."""
    return next((step for rule in RULES if (step := rule(state))), None)
