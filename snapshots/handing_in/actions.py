"""Reads predictions for a withheld partition, scores them against its full file, and keeps them."""

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from nli.lines import FULL_FILES, PARTITION_FILES, has_gold
from snapshots.errors import SnapshotError
from snapshots.files.reading import lines
from snapshots.models import HandIn, Snapshot

NAMED = 3  # ids that an error names
ID_KEYS, LABEL_KEYS = ("pairID", "id"), ("predicted", "gold_label", "label")


class Refused(SnapshotError):
    """The predictions are not taken. The message says what is wrong with them, and how often."""


class TooMany(SnapshotError):
    """The team has handed in as often today as the site allows."""


def withheld_parts(snapshot: Snapshot) -> list[str]:
    """Returns the partitions of a snapshot for which predictions are handed in: those that it withholds or withheld."""
    manifest = snapshot.read_manifest()
    names = manifest.get("withheld", {}) if manifest else {}
    return [partition for partition, name in FULL_FILES.items() if name in names]


def part_of(snapshot: Snapshot, partition: str = "") -> str:
    """Returns the partition of that name, or the only one. Raises Refused."""
    parts = withheld_parts(snapshot)
    if partition in parts:
        return partition
    if partition or len(parts) != 1:
        known = " or ".join(parts) or "none"
        raise Refused(f"Name a partition of {snapshot} whose labels are withheld: {known}.")
    return parts[0]


def predictions_in(text: str) -> list[tuple[str, str]]:
    """Reads pair ids and labels: JSON Lines as a run writes them, or CSV with a head line. Raises Refused."""
    is_json = text.lstrip().startswith("{")
    rows = _json_rows(text) if is_json else csv.DictReader(text.splitlines())
    found = []
    for number, row in enumerate(rows, start=1 if is_json else 2):
        name = next((row[key] for key in ID_KEYS if isinstance(row.get(key), str)), None)
        label = next((row[key] for key in LABEL_KEYS if isinstance(row.get(key), str)), None)
        if name is None or label is None:
            keys = f"{' or '.join(ID_KEYS)}, and {' or '.join(LABEL_KEYS)}"
            raise Refused(f"Line {number} has no pair id and label as texts under {keys}.")
        found.append((name.strip(), label.strip()))
    if not found:
        raise Refused("There are no predictions: send JSON Lines, or CSV with a head line.")
    return found


def _json_rows(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Refused(f"Line {number} is not JSON ({error}).") from None
            if not isinstance(row, dict):
                raise Refused(f"Line {number} is not a JSON object.")
            yield row


def hand_in(
    *,
    snapshot: Snapshot,
    partition: str = "",
    team: str,
    name: str,
    description: str = "",
    is_baseline: bool = False,
    predictions: Sequence[tuple[str, str]],
    by: User,
) -> HandIn:
    """Scores predictions for every pair of a withheld partition, and keeps both.

    Raises Refused (ids that are unknown, missing or doubled; labels that are none; a name that the team has used), TooMany.
    """
    part, team, name = part_of(snapshot, partition), " ".join(team.split()), " ".join(name.split())
    if not team or not name:
        raise Refused("Name the team and the system.")
    given = _checked(snapshot, part, predictions)
    scores = scores_of(snapshot, part, given)
    try:
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(
                pk=by.pk
            )  # two at once are counted one after the other
            since = timezone.now() - timedelta(days=1)
            today = HandIn.objects.filter(Q(by=by) | Q(team__iexact=team), at__gte=since).count()
            if today >= settings.HAND_INS_A_DAY:
                raise TooMany(
                    f"{team} has handed in {today} times in 24 hours, and {settings.HAND_INS_A_DAY} are allowed."
                    " Try again tomorrow."
                )
            return HandIn.objects.create(
                snapshot=snapshot, partition=part, team=team, name=name, description=description.strip(),
                is_baseline=is_baseline, predictions=given, scores=scores, by=by,
            )  # fmt: skip
    except IntegrityError:
        raise Refused(
            f"{team} has handed in a system called {name} before. Give this one another name."
        ) from None


def _checked(snapshot: Snapshot, partition: str, predictions: Sequence[tuple[str, str]]) -> dict[str, str]:
    wanted = {line["pairID"] for line in lines(snapshot.folder / PARTITION_FILES[partition])}
    times, given = Counter(name for name, _ in predictions), dict(predictions)
    manifest = snapshot.read_manifest()
    facts = manifest["corpus"] if manifest else None
    known = set(facts.get("gold_labels") or facts["labels"]) if facts else set()
    wrong = [
        (f"not in {partition} of {snapshot}", [name for name in given if name not in wanted]),
        ("without a prediction", sorted(wanted - given.keys())),
        ("predicted more than once", [name for name, number in times.items() if number > 1]),
        (
            f"with a label that is not one of {', '.join(sorted(known))}",
            [k for k, v in given.items() if v not in known],
        ),
    ]
    said = [
        f"{len(names):,} pair{'' if len(names) == 1 else 's'} {what}, such as {', '.join(names[:NAMED])}"
        for what, names in wrong
        if names
    ]
    if said:
        raise Refused(f"Nothing was scored: {'; '.join(said)}.")
    return given


def gold_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the lines with a gold label of the full file of a withheld partition."""
    return (line for line in lines(path) if has_gold(line))


def scores_of(snapshot: Snapshot, partition: str, given: Mapping[str, str]) -> dict[str, list[int]]:
    """Returns genre -> [pairs with a gold label, pairs that are right]. Raises Refused if the labels are gone."""
    path = snapshot.sealed_folder / FULL_FILES[partition]
    if not path.is_file():
        raise Refused("The labels are missing on the server. Ask the operator to restore them from a backup.")
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in gold_lines(path):
        counts = found[line["genre"]]
        counts[0] += 1
        counts[1] += given[line["pairID"]] == line["gold_label"]
    return dict(found)
