"""What a coach and a frozen run tell a writer about sentences, and what is kept of it.

Of wordings that were not sent, only counts are kept: how many the run answered, and at which it was first wrong.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext

from collection.advice import COACHED, Advice
from collection.answering import Answers, CannotAnswer, answers_to
from collection.corpus_schema import MODEL
from collection.models import Guidance, Pair, WritingAssignment

SURE = 0.7  # from this probability on, a coach says that an answer is found without the text; writers are not told


@dataclass(frozen=True)
class Told:
    """What frozen runs answered: label -> answers; and why they did not, if they were asked and did not."""

    answers: Mapping[str, Answers] = field(default_factory=dict)
    why_not: str = ""

    def found_alone(self) -> set[str]:
        """Returns the labels of sentences whose answer the twin finds, and is sure of."""
        twins = {label: answers.twin for label, answers in self.answers.items()}
        return {label for label, twin in twins.items() if twin.label == label and twin.probability >= SURE}


def ask(assignment: WritingAssignment, texts: Mapping[str, str]) -> Told:
    """Asks the frozen run of the task's prompt about the filled ones of its texts (label -> text)."""
    run = assignment.prompt_version.frozen_run
    filled = {label: text for label, text in texts.items() if text.strip()}
    if run is None or not filled:
        return Told()
    try:
        return Told(answers_to(run, assignment.seat.premise.sentences, filled))
    except CannotAnswer as why:
        return Told(why_not=str(why))


def is_away(assignment: WritingAssignment) -> bool:
    """Returns whether a run is in the loop of a task and cannot answer now. Asking it also lets it be read into memory."""
    run = assignment.prompt_version.frozen_run
    if run is None or assignment.prompt_version.mode != MODEL:
        return False
    try:
        answers_to(run, assignment.seat.premise.sentences, {})
    except CannotAnswer:
        return True
    return False


def is_guided(assignment: WritingAssignment) -> bool:
    """Returns whether a coach or a run says something about the sentences of a task."""
    version = assignment.prompt_version
    return version.coach or version.mode == MODEL


def note(
    assignment: WritingAssignment,
    texts: Mapping[str, str],
    new: Iterable[str],
    told: Told,
    seen: Iterable[Advice],
) -> dict[str, Guidance]:
    """Counts answers to new wordings, and advice that was seen. Returns label -> what is kept of its sentence.

    `texts`: of all fields as they stand; `new`: the labels whose wording was not there before. Call it with the task's row
    locked. An answer that the run did not give, because it was not reached, leaves none to the older wording either.
    """
    rows = {each.label: each for each in assignment.guidance.all()}
    in_loop = assignment.prompt_version.mode == MODEL
    coached = {each.label for each in seen if each.kind in COACHED}
    changed = set()
    for label in texts:
        row = rows.get(label) or Guidance(assignment=assignment, label=label)
        before = (row.advice_seen, row.model_tries, row.model_answer, row.twin_answer)
        row.advice_seen = row.advice_seen or label in coached
        if in_loop:
            _take(row, told.answers.get(label), is_new=label in new)
        if before != (row.advice_seen, row.model_tries, row.model_answer, row.twin_answer):
            rows[label] = row
            changed.add(label)
    for label in changed:
        rows[label].save()
    return rows


def _take(row: Guidance, answers: Answers | None, *, is_new: bool) -> None:
    is_try = answers is not None and (is_new or not row.model_answer)
    if answers is not None:
        row.model_answer, row.twin_answer = answers.run.label, answers.twin.label
    elif is_new:
        row.model_answer = row.twin_answer = ""
    if is_try:
        row.model_tries += 1
        if row.fooled_at is None and row.model_answer != row.label:
            row.fooled_at = row.model_tries


def give_to_pairs(rows: Mapping[str, Guidance], pairs: Iterable[Pair]) -> None:
    """Joins what is kept of each sentence with the pair that was made of it."""
    for pair in pairs:
        if row := rows.get(pair.author_label or ""):
            row.pair = pair
            row.save(update_fields=["pair"])


def carry_over(old: Pair, new: Pair) -> None:
    """Keeps with a mended sentence what was kept with the first one, but its answers: no run was asked about the new one."""
    for row in Guidance.objects.filter(pair=old):
        Guidance.objects.create(
            pair=new,
            label=row.label,
            advice_seen=row.advice_seen,
            model_tries=row.model_tries,
            fooled_at=row.fooled_at,
        )


def answers_in_words(
    assignment: WritingAssignment, rows: Mapping[str, Guidance], labels: Iterable[str]
) -> dict[str, str]:
    """Returns label -> what the run answered to its newest wording, for the writer; nothing where no run is in the loop."""
    if assignment.prompt_version.mode != MODEL:
        return {}
    return {label: _in_words(assignment, rows.get(label)) for label in labels}


def _in_words(assignment: WritingAssignment, row: Guidance | None) -> str:
    if row is None or not row.model_answer:
        return gettext("The model cannot answer just now. Go on and send as usual.")
    words = assignment.corpus.answer_words
    said = gettext("The model chose “%(answer)s”.") % {"answer": words[row.model_answer]}
    twin = gettext("Without the text it would choose “%(answer)s”.") % {"answer": words[row.twin_answer]}
    judged = (
        gettext("It is right. You can try another sentence, or send this one.")
        if row.model_answer == row.label
        else gettext("You misled it. If your sentence fits, send it.")
    )
    return f"{said} {judged} {twin}"
