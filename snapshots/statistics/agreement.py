"""Tabulate the agreement of a snapshot beside that of SNLI and MultiNLI."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nli.manifest import Manifest
from shared.figures import Figure
from shared.numbers import decimals, percent
from shared.tables import Column
from snapshots.models import Snapshot
from snapshots.statistics.scope import SNAPSHOT
from validation.statistics.definitions import DEFINITIONS, NAMES, PUBLISHED, published_kappas

AGREEMENT = "agreement"


@dataclass(frozen=True)
class AgreementRow:
    """One line of the agreement table as text. snli and multinli are empty if the papers do not report it."""

    name: str
    here: str
    snli: str
    multinli: str
    definition: str


def share_rows(figures: Mapping[str, Any]) -> list[AgreementRow]:
    """Returns the shares that the papers report, in their order."""
    rows = []
    for key, name in NAMES.items():
        snli, multinli = (percent(share) for share in PUBLISHED.get(key, (None, None)))
        rows.append(AgreementRow(name, percent(figures[key]), snli, multinli, DEFINITIONS[key]))
    return rows


def agreement_rows(manifest: Manifest, words: Mapping[str, str]) -> list[AgreementRow]:
    """Returns the shares that the papers report, then kappa by category, then alpha. words: label -> its wording."""
    figures = manifest["agreement"]
    rows, published = share_rows(figures), published_kappas(manifest["corpus"]["labels"])
    for category in ("overall", *manifest["corpus"]["labels"]):
        kappa = figures["fleiss_kappa"][category]
        definition = DEFINITIONS["fleiss_kappa"]
        rows.append(
            AgreementRow(
                f"Fleiss’ kappa, {words.get(category, category)}",
                decimals(kappa),
                decimals(published.get(category), 2),
                "",
                definition,
            )
        )
    alpha = decimals(figures["krippendorff_alpha"])
    rows.append(AgreementRow("Krippendorff’s alpha", alpha, "", "", DEFINITIONS["krippendorff_alpha"]))
    return rows


def _agreement(manifest: Manifest) -> list[list[Any]]:
    figures: Mapping[str, Any] = manifest["agreement"]
    published = published_kappas(manifest["corpus"]["labels"])
    return [
        *([name, figures[key], *PUBLISHED.get(key, (None, None))] for key, name in NAMES.items()),
        *(
            [f"Fleiss' kappa, {category}", decimals(kappa), decimals(published.get(category), 2), None]
            for category, kappa in figures["fleiss_kappa"].items()
        ),
    ]


def _of(snapshot: Snapshot) -> list[list[Any]] | None:
    manifest = snapshot.read_manifest()
    return _agreement(manifest) if manifest else None


FIGURES = (
    Figure(
        AGREEMENT,
        "Agreement (SNLI, Table 3; MultiNLI, Table 2)",
        SNAPSHOT,
        _of,
        (
            Column("figure"),
            Column("here", kind="share", definition=DEFINITIONS["pairs_with_all_labels"]),
            Column("SNLI", kind="share", source="SNLI, Table 3"),
            Column("MultiNLI", kind="share", source="MultiNLI, Table 2"),
        ),
        notes=(
            *(f"{name}: {DEFINITIONS[key]}" for key, name in NAMES.items()),
            f"Fleiss' kappa: {DEFINITIONS['fleiss_kappa']}",
        ),
    ),
)
