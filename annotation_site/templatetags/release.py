"""`{% release_checklist snapshot as items %}`: what a release of the snapshot needs, and what of it is done."""

from dataclasses import dataclass

from django import template
from django.urls import reverse

from modeling.models import TrainingRun
from snapshots.files.datasheet import QUESTIONS, blanks
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.statistics.job import EDITIONS

register = template.Library()
BIAS_CHECKS = ("hypothesis_only", "pretrained_hypothesis")  # baselines that never read the premise
COUNTED = (SnapshotStatistics.Kind.CORPUS, SnapshotStatistics.Kind.ARTIFACTS)


@dataclass(frozen=True)
class Item:
    """A thing that a release needs. `action` and `link`: how to do it, if it is not done."""

    is_done: bool
    sentence: str
    action: str = ""
    link: str = ""


@register.simple_tag
def release_checklist(snapshot: Snapshot) -> list[Item]:
    """Returns what the release of a frozen snapshot needs, in the order in which to do it."""
    slug, open_questions = snapshot.corpus.slug, len(blanks(snapshot.datasheet_answers()))
    counted = set(
        snapshot.statistics.current(EDITIONS).filter(data__isnull=False).values_list("kind", flat=True)
    )
    runs = TrainingRun.objects.filter(
        snapshot=snapshot, baseline__in=BIAS_CHECKS, status=TrainingRun.Status.DONE
    )
    licence = snapshot.corpus.licence
    return [
        Item(True, "Frozen, with a sha256 over its content"),
        Item(
            bool(licence),
            f"The licence: {licence}" if licence else "The corpus names no licence",
            "Say it in the corpus file",
            reverse("corpus-file", args=[slug]),
        ),
        Item(
            counted >= {*COUNTED},
            f"Sizes, lengths, overlap and give-away words are {'counted' if counted >= {*COUNTED} else 'not counted yet'}",
            "Count them",
            reverse("snapshot-statistics", args=[snapshot.pk]),
        ),
        Item(
            runs.exists(),
            f"{'A' if runs.exists() else 'No'} baseline that reads no premise shows how much the hypotheses give away",
            "Train one",
            reverse("new-run", args=[snapshot.pk]),
        ),
        Item(
            not open_questions,
            f"{len(QUESTIONS) - open_questions} of {len(QUESTIONS)} questions of the datasheet are answered",
            "Answer the rest",
            reverse("datasheet-answers", args=[slug]),
        ),
        Item(
            bool(snapshot.published_at),
            "Published" if snapshot.published_at else "Not published",
            "Publish it",
            "#publish",
        ),
    ]
