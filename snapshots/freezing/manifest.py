"""Make the manifest of a snapshot: its files and hashes, how it was drawn, its counts and its agreement.

All counts come from the copied rows, so they match the files whatever annotators do in the meantime.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from accounts.background_questions import QUESTIONS as BACKGROUND
from accounts.background_questions import published_count
from accounts.models import Background as ToldBackground
from accounts.models import User
from collection.models import Preregistration as PreregistrationRow
from collection.models import PromptVersion
from collection.premises.partitions import is_held_out
from nli.manifest import (
    FORMAT,
    Annotators,
    Background,
    Facts,
    ListedFile,
    Manifest,
    ModelInLoop,
    Parser,
    Placements,
    Simulated,
    manifest_errors,
)
from snapshots.files.counts import ATTACHED, DERIVED, LineCounts
from snapshots.files.hashes import manifest_sha256
from snapshots.freezing.plan import FreezePlan
from snapshots.models import Snapshot, SnapshotAnswer, SnapshotLabel, SnapshotPair


def text_of(value: Mapping[str, Any]) -> str:
    """Returns readable JSON with sorted keys: the same value gives the same bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False) + "\n"


def manifest_of(
    snapshot: Snapshot,
    planned: FreezePlan,
    facts: Facts,
    counts: LineCounts,
    files: dict[str, ListedFile],
    content: str,
    withheld: dict[str, ListedFile],
) -> Manifest:
    """Returns the manifest of the files by name; `content` is the hash over them, and over the files that are withheld.

    Raises RuntimeError if it lacks a key.
    """
    rows = SnapshotPair.objects.filter(snapshot=snapshot)
    made: dict[str, Any] = {
        "format": FORMAT,
        "name": str(snapshot),
        "sha256": content,
        "manifest_sha256": "",
        "files": files,
        "corpus": facts,
        "seed": snapshot.seed,
        "dev_from_train": snapshot.dev_from_train,
        "author_disjoint": snapshot.author_disjoint,
        **counted(snapshot, counts, _premises(rows)),
        "placements": _placements(rows),
        "premises_in_two_partitions": _in_two_partitions(rows, "pair__premise"),
        "groups_in_two_partitions": _in_two_partitions(rows, "pair__premise__group"),
        "hypotheses_in_two_partitions": _in_two_partitions(rows, "pair__hypothesis"),
        "shortages": [
            {"partition": each.partition, "genre": each.genre, "wanted": each.wanted, "placed": each.placed}
            for each in planned.plan.shortages
        ],
        "left_out": planned.plan.left_out,
        "simulated": _simulated(snapshot, rows),
        "annotators": _annotators(snapshot, rows),
        **planned.history,
        "about": {
            "frozen_at": timezone.now().isoformat(timespec="seconds"),
            "software": f"quintet {software_version()}",
        },
    }
    if withheld:
        made["withheld"] = withheld
    if models := _models(rows):
        made["models"] = models
    if said := PreregistrationRow.objects.filter(corpus=snapshot.corpus_id).first():
        made["preregistration"] = {
            "text": said.text,
            "sha256": said.sha256,
            "registered_at": said.registered_at.isoformat(timespec="seconds"),
        }
        if looks := [
            {
                **{name: getattr(look, name) for name in ("number", "is_last", "compared")},
                "made_at": look.made_at.isoformat(timespec="seconds"),
            }
            for look in said.looks.all()
        ]:
            made["preregistration"]["looks"] = looks
    manifest = cast(Manifest, made)  # object by object held to the schema below
    manifest["manifest_sha256"] = manifest_sha256(manifest)
    if wrong := [text for _, text in manifest_errors(manifest)]:
        raise RuntimeError(
            f"The manifest of {snapshot} does not fit the schema in nli/manifest.py: {'; '.join(wrong)}."
        )
    return manifest


def counted(snapshot: Snapshot, counts: LineCounts, premises: Mapping[str, int]) -> dict[str, Any]:
    """Returns what a manifest says of the lines of its files; `premises`: partition -> its number of different premises."""
    return {
        "pairs": counts.pairs,
        "partitions": counts.partitions(premises),
        "gold_sources": dict(sorted(counts.sources.items())),
        "agreement": counts.agreement(),
        "answers": counts.answer_counts(),
        "pairs_with_metadata": counts.with_metadata,
        "parses": counts.parse_counts(),
        "parser": _parser(snapshot, counts),
    }


def _models(rows: QuerySet[SnapshotPair]) -> list[ModelInLoop]:
    """Returns the frozen runs that answered while these pairs were written, by version of a prompt."""
    used = rows.order_by().values("pair__prompt_version")
    versions = PromptVersion.objects.filter(pk__in=used).exclude(run=0).select_related("prompt")
    return [
        {
            "prompt_version": f"{each.prompt.slug}/{each.number}",
            "mode": each.mode,
            "run": each.run,
            "name": each.run_name,
            "sha256": each.run_sha256,
            "twin": each.twin,
            "twin_sha256": each.twin_sha256,
        }
        for each in versions.order_by("prompt__slug", "number")
    ]


def _premises(rows: QuerySet[SnapshotPair]) -> dict[str, int]:
    counted = rows.order_by().values_list("partition").annotate(number=Count("pair__premise", distinct=True))
    return dict(counted)


def _placements(rows: QuerySet[SnapshotPair]) -> Placements:
    """Counts pairs and premises by the origin of their partition."""
    came_with_one = Q(pair__published_partition__isnull=False)
    held_out = is_held_out("pair__")
    kinds = {"made": ~came_with_one, "published": came_with_one & ~held_out, "held_out": held_out}
    counts = rows.aggregate(
        **{f"{kind}_pairs": Count("pk", filter=condition) for kind, condition in kinds.items()},
        **{
            f"{kind}_premises": Count("pair__premise", distinct=True, filter=condition)
            for kind, condition in kinds.items()
        },
    )
    return cast(
        Placements,
        {kind: {"pairs": counts[f"{kind}_pairs"], "premises": counts[f"{kind}_premises"]} for kind in kinds},
    )


def _in_two_partitions(rows: QuerySet[SnapshotPair], what: str) -> int:
    counted = rows.order_by().values(what).annotate(number=Count("partition", distinct=True))
    return counted.filter(number__gt=1).count()


def _parser(snapshot: Snapshot, counts: LineCounts) -> Parser | None:
    """Returns what derived trees, or the file of those that were attached; None if there are none of these."""
    parser = snapshot.parser
    if parser is None or not (counts.parses[DERIVED] or counts.parses[ATTACHED]):
        return None
    if file := parser.source:
        named: Parser = {"tool": parser.model, "version": "", "model": "", "rules": 0}
        return {**named, "file": file.name, "sha256": file.sha256}
    return {"tool": "spaCy", "version": parser.spacy, "model": parser.model, "rules": parser.rules}


def _simulated(snapshot: Snapshot, rows: QuerySet[SnapshotPair]) -> Simulated:
    """Counts the labels that stand and the pairs of a simulated crowd, which a reader must see at once. Names its people."""
    crowd = User.objects.filter(kind=User.Kind.SIMULATED)
    theirs = {"row__snapshot": snapshot, "annotator_code__in": crowd.values("code")}
    deciding = SnapshotLabel.objects.filter(**theirs)
    others = SnapshotAnswer.objects.filter(**theirs, label__isnull=False, withdrawn_because="").exclude(
        counts=True, question="", sentence=0
    )
    labels = deciding.count() + others.count()
    counted: Simulated = {"labels": labels, "pairs": rows.filter(pair__author__in=crowd).count()}
    if people := sorted(_at_work(crowd, snapshot, rows).values()):
        counted["people"] = people
    return counted


def _at_work(people: QuerySet[User], snapshot: Snapshot, rows: QuerySet[SnapshotPair]) -> dict[int, str]:
    """Returns those of these people who wrote or answered, each with their code."""
    labelled = SnapshotLabel.objects.filter(row__snapshot=snapshot).values("annotator_code")
    answered = SnapshotAnswer.objects.filter(row__snapshot=snapshot).values("annotator_code")
    # Separate queries: as one with OR, the database would read all labels for each person.
    return {
        **dict(people.filter(pk__in=rows.values("pair__author")).values_list("pk", "code")),
        **dict(people.filter(code__in=labelled).values_list("pk", "code")),
        **dict(people.filter(code__in=answered).values_list("pk", "code")),
    }


def _annotators(snapshot: Snapshot, rows: QuerySet[SnapshotPair]) -> Annotators:
    """Counts the people who wrote and labelled, and their answers about their background. The counts identify nobody."""
    found = _at_work(User.objects.filter(kind=User.Kind.PERSON), snapshot, rows)
    backgrounds = ToldBackground.objects.filter(user__in=found).values(*BACKGROUND)
    background: list[Background] = []
    for field, (question, answers) in BACKGROUND.items():
        counts = Counter(row[field] for row in backgrounds)
        shown = {
            text: published_count(counts[key])
            for key, text in answers.items()
            if published_count(counts[key])
        }
        if shown:
            background.append({"question": question, "at_least": shown})
    return {"people": len(found), "background": background}


def software_version() -> str:
    """Returns the version of the code. It runs from its checkout and is never installed."""
    project = tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])
