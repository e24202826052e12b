"""Defines regimes: what a run learns from and starts from, if not one whole snapshot and new weights.

A regime is a dict with only the keys that were set: `mixed`, `genre`, `most`, `start`, `collapse`, `soft_labels`,
`hypothesis_only`. It has the form of RUN.json, but names snapshots by CORPUS@VERSION and the run to start from by its
number.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.db.models import QuerySet
from pydantic import Field

from accounts.people.gates import viewer
from modeling import catalogue
from modeling.baselines.config import MOST_PAIRS, STARTS, Mixing, Object, Regime, named_set
from modeling.models import TrainingRun
from nli.labels import COLLAPSED, COLLAPSIBLE, readable_together
from schemas.base import OneOf, SchemaError, SchemaErrors, checked
from snapshots.models import Snapshot, SnapshotPair


class RefusedRun(ValueError):
    """A request for a run that breaks a rule. `key` names the part; the sentence says why and what to do."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


def bad_regime(key: str, why: str) -> RefusedRun:
    """Returns the refusal of a part of the regime, whose sentence begins with the part's name."""
    return RefusedRun(key, f"{key}: {why}")


class MixedSnapshot(Mixing):
    """Another frozen snapshot, by its name."""

    snapshot: str = Field(description="`CORPUS@VERSION`")


class StartRun(Object):
    """A finished run, by its number."""

    run: int = Field(description="the number of a finished run of the same baseline")
    how: Annotated[str, OneOf(STARTS)] = Field(description="`update` or `transfer`")


class AskedRegime(Regime):
    """A regime as a person writes it."""

    mixed: Annotated[tuple[MixedSnapshot, ...], Field(strict=False)] = ()
    start: StartRun | None = None


def check_regime(*, snapshot: Snapshot, baseline: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the regime as it is stored, without keys at their defaults. Raises RefusedRun."""
    asked = {key: value for key, value in given.items() if value or (value == 0 and value is not False)}
    try:
        regime = checked(AskedRegime, asked)
    except SchemaErrors as faulty:
        message = " ".join(f"{_within(error)}{error.what}." for error in faulty.errors)
        raise bad_regime(str(faulty.errors[0].place[0]), message) from None
    stored = regime.model_dump(exclude_defaults=True)
    if regime.mixed:
        stored["mixed"] = _mixed(snapshot, regime.mixed)
    if regime.genre:
        _check_genre(snapshot, regime.genre)
    _check_labels(snapshot, stored)
    _check_classes(snapshot, baseline, stored)
    if regime.most:
        check_sizes("most", [regime.most], snapshot, regime.genre)
    if regime.start:
        _check_start(snapshot, baseline, stored)
    if regime.hypothesis_only and not catalogue.baselines()[baseline].reads_premises:
        raise bad_regime("hypothesis_only", f"{baseline} reads no premise anyway: ask for it without this.")
    return stored


def _within(error: SchemaError) -> str:
    """Returns the place of an error inside its key: `entry 1: share: `."""
    return "".join(
        f"entry {step + 1}: " if isinstance(step, int) else f"{step}: " for step in error.place[1:]
    )


def check_sizes(key: str, sizes: Sequence[int], snapshot: Snapshot, genre: str | None = None) -> None:
    """Raises RefusedRun if a size exceeds the training pairs: the run would fail hours later, when it starts."""
    if not sizes:
        return
    there = training_pairs(snapshot, genre).count()
    if max(sizes) > there:
        where = f"{snapshot}, genre {genre}" if genre else str(snapshot)
        raise bad_regime(
            key,
            f"{max(sizes):,} is more than the {there:,} training pairs with a gold label in {where}: set fewer.",
        )


def training_pairs(snapshot: Snapshot, genre: str | None = None) -> QuerySet[SnapshotPair]:
    """Returns the pairs that a run can learn from."""
    pairs = snapshot.pairs.filter(partition="train", gold_label__isnull=False)
    return pairs.filter(pair__premise__genre__slug=genre) if genre else pairs


def scheme_of(snapshot: Snapshot, regime: Mapping[str, Any]) -> str:
    """Returns the scheme of the labels that a run on this snapshot predicts."""
    return COLLAPSED if regime.get("collapse") else snapshot.corpus.scheme


def regime_text(regime: Mapping[str, Any], most: int | None) -> str:
    """Describes for people how the regime differs from that of a plain run."""
    mixed = [
        f"with {_percent(one.get('share', 1))} of {one['most']:,} pairs of {one['snapshot']}"
        if "most" in one
        else f"with {_percent(one.get('share', 1))} of {one['snapshot']}"
        for one in regime.get("mixed", ())
    ]
    start = regime.get("start")
    return ", ".join(
        [
            *([f"{most:,} training pairs"] if most else []),
            *([f"genre {regime['genre']}"] if "genre" in regime else []),
            *mixed,
            *([f"{start['how']} of run {start['run']}"] if start else []),
            *(["labels read as two classes"] if regime.get("collapse") else []),
            *([f"soft labels ({soft})"] if (soft := named_set(regime.get("soft_labels"))) else []),
            *(["hypothesis-only twin"] if regime.get("hypothesis_only") else []),
        ]
    )


# What runs are listed by: a key of a regime -> what it makes of a run.
PLAIN = "plain"
KINDS = {
    PLAIN: "plain, on the whole snapshot",
    "most": "fewer training pairs",
    "genre": "one genre",
    "mixed": "mixed with other snapshots",
    "start": "begins from another run",
    "collapse": "labels read as two classes",
    "soft_labels": "soft labels",
    "hypothesis_only": "hypothesis-only twin",
}


def kinds_of(regime: Mapping[str, Any], most: int | None) -> tuple[str, ...]:
    """Returns those of KINDS that a run is."""
    return tuple(key for key in KINDS if regime.get(key) or (key == "most" and most)) or (PLAIN,)


def settings_text(config: Mapping[str, Any]) -> str:
    """Formats settings for people."""
    return ", ".join(f"{key}={_plain(value)}" for key, value in sorted(config.items()))


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _percent(share: float) -> str:
    """Formats a share in percent: 0.004 as 0.4%, not as 0%."""
    return f"{100 * share:.6g}%"


def read_mixed(text: str) -> dict[str, Any]:
    """Reads `CORPUS@VERSION share=0.15 most=1000` as an entry of `mixed`. Raises RefusedRun."""
    name, *rest = text.split()
    entry: dict[str, Any] = {"snapshot": name}
    for part in rest:
        key, _, value = part.partition("=")
        try:
            entry[key] = {"share": float, "most": int}[key](value)
        except (KeyError, ValueError):
            raise bad_regime(
                "mixed", f"“{part}” is neither share=0.15 nor most=1000, after the name of a snapshot."
            ) from None
    return entry


def read_sizes(text: str) -> list[int]:
    """Reads `500, 1000` as numbers. Raises RefusedRun."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not part.isascii() or not part.isdigit():
            raise bad_regime(
                "sizes", f"“{part}” is not a size: give whole numbers with commas, such as 500, 1000."
            )
    for part in parts:
        if not 1 <= int(part) <= MOST_PAIRS:
            raise bad_regime("sizes", f"{part} is not a whole number from 1 to {MOST_PAIRS:,}.")
    return list(map(int, parts))


def _check_genre(snapshot: Snapshot, genre: str) -> None:
    genres = sorted(training_pairs(snapshot).values_list("pair__premise__genre__slug", flat=True).distinct())
    if genre not in genres:
        raise bad_regime(
            "genre", f"{genre!r} has no training pairs in {snapshot}. Its genres: {', '.join(genres)}."
        )


def _mixed(snapshot: Snapshot, entries: Sequence[MixedSnapshot]) -> list[dict[str, Any]]:
    """Returns the entries in their stored form: with the hash of each snapshot, without keys at their defaults."""
    stored = []
    for entry in entries:
        found = Snapshot.objects.of(viewer()).named(entry.snapshot).first()
        if found is None:
            raise bad_regime("mixed", f"there is no snapshot {entry.snapshot!r}.")
        if found.status != Snapshot.Status.FROZEN:
            raise bad_regime("mixed", f"{found} is {found.status}, not frozen.")
        options = entry.model_dump(exclude_defaults=True, include={"share", "most"})
        stored.append({"snapshot": str(found), "sha256": found.sha256, **options})
    names = [str(snapshot), *(entry["snapshot"] for entry in stored)]
    for name in names:
        if names.count(name) > 1:
            raise bad_regime("mixed", f"{name} is named twice: name it once.")
    return stored


def _check_labels(snapshot: Snapshot, regime: Mapping[str, Any]) -> None:
    """Checks that all snapshots have the same labels."""
    names = [entry["snapshot"] for entry in regime.get("mixed", ())]
    everyone = [snapshot, *(Snapshot.objects.named(name).get() for name in names)]
    schemes = {one.corpus.scheme for one in everyone}
    if regime.get("collapse"):
        if schemes.isdisjoint(COLLAPSIBLE) or not readable_together(schemes):
            raise bad_regime(
                "collapse",
                f"reads labels of {' or '.join(COLLAPSIBLE)} as two classes; the labels here are"
                f" {', '.join(sorted(schemes))}.",
            )
    elif len(schemes) > 1:
        hint = " Set collapse to read them as two classes." if readable_together(schemes) else ""
        raise bad_regime("mixed", f"the labels differ: {', '.join(sorted(schemes))}.{hint}")


def _check_classes(snapshot: Snapshot, baseline: str, regime: Mapping[str, Any]) -> None:
    """Checks that a baseline for two labels gets two."""
    if catalogue.baselines()[baseline].two_classes and scheme_of(snapshot, regime) != COLLAPSED:
        hint = " Set collapse to read them as two classes." if snapshot.corpus.scheme in COLLAPSIBLE else ""
        raise bad_regime(
            "collapse",
            f"{baseline} knows the labels entailed and not-entailed, and {snapshot} has others.{hint}",
        )


def _check_start(snapshot: Snapshot, baseline: str, regime: Mapping[str, Any]) -> None:
    """Checks the run to start from: it is done, of this baseline, and for an update has the same labels."""
    start = regime["start"]
    runs = TrainingRun.objects.of(viewer()).select_related("snapshot__corpus")
    found = runs.filter(pk=start["run"]).exclude(status=TrainingRun.Status.SWEEP).first()
    if found is None:
        raise bad_regime("start", f"there is no run {start['run']} with weights of its own.")
    if found.status != TrainingRun.Status.DONE:
        raise bad_regime(
            "start", f"run {found.pk} is {found.status}: only a finished run can be started from."
        )
    if found.baseline != baseline:
        raise bad_regime("start", f"run {found.pk} is a {found.baseline}, not a {baseline}: name another.")
    if not catalogue.baselines()[baseline].learns_in_steps:
        raise bad_regime("start", f"{baseline} is fitted in one step and has no weights to start from.")
    theirs, ours = scheme_of(found.snapshot, found.regime), scheme_of(snapshot, regime)
    if start["how"] == "update" and theirs != ours:
        raise bad_regime(
            "start",
            f"run {found.pk} predicts labels of {theirs}, this run of {ours}: use transfer, with a new softmax.",
        )
