"""Finds the sentences that writers change, under prompts that say so, and keeps what was changed into what."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from collection.advice import words_of
from collection.corpus_schema import CONTRAST, EDIT
from collection.formats.records import Unreadable, storable
from collection.models import (
    Corpus,
    OfferedText,
    Pair,
    PairEdit,
    PromptVersion,
    WritingAssignment,
)
from collection.texts import flaw_in, one_line, visible
from nli.tokens import edit_distance, tokeniser
from shared.transactions import hold_back, one_transaction

ERRORS_SHOWN = 5
LONGEST_ORIGIN = "it is longer than 200 characters"


def starts_of(assignment: WritingAssignment, texts: Mapping[str, str]) -> dict[str, str]:
    """Returns label -> the sentence that the writer of this task was to change. `texts`: what they wrote, by label."""
    version = assignment.prompt_version
    if version.mode == EDIT:
        premise = assignment.seat.premise
        arms = ("", version.prompt.slug)
        there = OfferedText.objects.filter(premise=premise.pk, arm__in=arms)
        rows = there.filter(created_at__lte=assignment.created_at or timezone.now()).values_list(
            "arm", "label", "text"
        )
        of_arm, of_all = ({label: text for arm, label, text in rows if arm == each} for each in arms[::-1])
        drafts = of_arm or of_all
        offered = drafts.get("", " ".join(premise.sentences))
        return {label: drafts.get(label, offered) for label in assignment.labels}
    if version.mode == CONTRAST:
        first, *others = assignment.labels_on_page
        return dict.fromkeys(others, texts.get(first, ""))
    return {}


def avoided(version: PromptVersion) -> list[str]:
    """Returns the words that no sentence may have."""
    return [word for each in version.avoid.split(",") if (word := each.strip())]


def join_family(assignment: WritingAssignment, pairs: Iterable[Pair]) -> None:
    """Names the family of the new pairs of a task whose sentences are changes of the first."""
    if assignment.prompt_version.mode == CONTRAST:
        of = {pair.author_label: pair for pair in pairs}
        first = of[assignment.labels_on_page[0]]
        for pair in of.values():
            pair.family = first.public_id


def note_edits(assignment: WritingAssignment, pairs: Iterable[Pair]) -> None:
    """Stores what the hypotheses of a task's new pairs were made of."""
    of = {pair.author_label or "": pair for pair in pairs}
    starts = starts_of(assignment, {label: pair.hypothesis for label, pair in of.items()})
    store_edits(assignment.corpus, {of[label]: start for label, start in starts.items() if label in of})


def store_edits(corpus: Corpus, starts: Mapping[Pair, str]) -> None:
    """Stores the sentence of which each hypothesis was made, and their distance in words."""
    words = tokeniser(corpus.language, words_of)
    PairEdit.objects.bulk_create(
        PairEdit(
            pair=pair,
            edited_from=start,
            # One at least: a sentence without words, such as “!”, has changed too.
            distance=max(edit_distance(words(start), words(pair.hypothesis)), 1),
        )
        for pair, start in starts.items()
        if start
    )


class BadDrafts(Exception):
    """Drafts cannot be stored. `errors`: a sentence for each, with its line."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = list(errors)
        shown = "; ".join(self.errors[:ERRORS_SHOWN])
        more = len(self.errors) - ERRORS_SHOWN
        super().__init__(f"{shown}{f'; and {more:,} more' if more > 0 else ''}.")


def _flaw(text: str, longest: int) -> str:
    try:
        return "" if storable("text", text, longest) else "text is empty"
    except Unreadable as why:
        return str(why)


@one_transaction
def offer_texts(
    *, corpus: Corpus, rows: Sequence[tuple[int, Mapping[str, Any]]], origin: str, arm: str = ""
) -> int:
    """Stores drafts for writers to change: (line, {premise, text, label}). Returns how many are new.

    arm: the slug of the prompt under which they are offered; empty: under all. A stored draft is never replaced, and tasks
    that were begun keep the sentence that they showed. Raises BadDrafts, and stores nothing, where the arm is no prompt
    under which sentences are changed, or a line names an unknown premise or label, or has no text or another than is stored.
    """
    premises = dict(corpus.premises.values_list("public_id", "pk"))
    there = {
        (each.premise_id, each.label): each.text
        for each in OfferedText.objects.filter(premise__corpus=corpus, arm=arm)
    }
    new: dict[tuple[int, str], str] = {}
    edited = set(
        PromptVersion.objects.newest()
        .filter(prompt__corpus=corpus, mode=EDIT)
        .values_list("prompt__slug", flat=True)
    )
    errors = [
        f"--origin: {flaw}" for flaw in [flaw_in(origin) or LONGEST_ORIGIN * (len(origin) > 200)] if flaw
    ]
    if arm and arm not in edited:
        errors.append(
            f"--arm: “{visible(arm)}” is no prompt with mode = “edit”; these are: {', '.join(sorted(edited)) or 'none'}"
        )
    for line, row in rows:
        name, label, text = (row.get(key) or "" for key in ("premise", "label", "text"))
        if not all(isinstance(each, str) for each in (name, label, text)):
            errors.append(f"line {line}: premise, label and text must be texts")
            continue
        text = one_line(text).strip()
        key = (premises.get(name, 0), label)
        if name not in premises:
            errors.append(f"line {line}: premise “{visible(name)}” is not in {corpus.slug}")
        elif label and label not in corpus.labels:
            errors.append(f"line {line}: label “{visible(label)}” is none of {', '.join(corpus.labels)}")
        elif flaw := _flaw(text, corpus.max_hypothesis_chars):
            errors.append(f"line {line}: {flaw}")
        elif there.get(key, new.get(key, text)) != text:
            errors.append(
                f"line {line}: another draft for this premise and label is there; drafts are not replaced"
            )
        elif key not in there:
            new[key] = text
    if errors:
        raise BadDrafts(errors)
    hold_back(WritingAssignment)  # a task is begun before these drafts, or shows them
    at = timezone.now()
    OfferedText.objects.bulk_create(
        (
            OfferedText(created_at=at, premise_id=pk, arm=arm, label=label, text=text, origin=origin)
            for (pk, label), text in new.items()
        ),
        batch_size=2000,
    )
    return len(new)
