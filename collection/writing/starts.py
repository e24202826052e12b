"""Finds the sentences that writers change, under prompts that say so, and keeps what was changed into what."""

from collections.abc import Iterable, Mapping

from collection.advice import words_of
from collection.corpus_schema import CONTRAST, EDIT
from collection.models import Corpus, OfferedText, Pair, PairEdit, PromptVersion, WritingAssignment
from nli.tokens import edit_distance, tokeniser


def starts_of(assignment: WritingAssignment, texts: Mapping[str, str]) -> dict[str, str]:
    """Returns label -> the sentence that the writer of this task was to change. `texts`: what they wrote, by label."""
    version, labels = assignment.prompt_version, assignment.labels
    if version.mode == EDIT:
        premise = assignment.seat.premise
        drafts = dict(OfferedText.objects.filter(premise=premise.pk).values_list("label", "text"))
        offered = drafts.get("", " ".join(premise.sentences))
        return {label: drafts.get(label, offered) for label in labels}
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
        PairEdit(pair=pair, edited_from=start, distance=edit_distance(words(start), words(pair.hypothesis)))
        for pair, start in starts.items()
        if start
    )
