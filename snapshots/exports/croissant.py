"""Write Croissant 1.1 metadata (MLCommons) for the Parquet files, with the Responsible-AI fields that are known."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nli.lines import rule_of
from nli.manifest import Manifest
from shared.numbers import percent
from snapshots.files.datasheet import (
    ASKED_ELSEWHERE,
    PROTOCOLS,
    WithAnswers,
    background,
    days_of_work,
    withdrawn,
    wording_is_known,
)
from snapshots.files.hashes import file_sha256

CROISSANT = "croissant.json"
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
DEMOGRAPHICS = "rai:annotatorDemographics"
# Question of the datasheet -> property of the Responsible-AI vocabulary.
ANSWERED = {
    "biases": "rai:dataBiases",
    "sensitive": "rai:personalSensitiveInformation",
    "uses": "rai:dataUseCases",
    "background": DEMOGRAPHICS,
    "maintenance": "rai:dataReleaseMaintenancePlan",
}
# Column -> type, description. `label` is the index of the gold label among the scheme's labels.
FIELDS = {
    "pairID": ("sc:Text", "the pair's public id"),
    "promptID": ("sc:Text", "the premise's public id"),
    "premise": ("sc:Text", "the premise; several sentences are joined by a space"),
    "hypothesis": ("sc:Text", "the hypothesis"),
    "genre": ("sc:Text", "the genre's slug"),
    "gold_source": ("sc:Text", "where the gold label is from"),
    "author_label": ("sc:Text", "the label that the hypothesis was written for"),
}


def croissant(manifest: WithAnswers, folder: Path, files: Sequence[str]) -> str:
    """Returns the metadata as JSON-LD. `files` are Parquet files that are already in `folder`."""
    facts = manifest["corpus"]
    metadata = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": facts["slug"],
        "description": facts["description"] or f"{facts['name']}. {PROTOCOLS[facts['protocol']]}",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "version": f"{manifest['name'].rpartition('@')[2]}.0.0",
        "datePublished": manifest["about"]["frozen_at"][:10],
        "inLanguage": [facts["language"]],
        **({"license": facts["licence"]} if facts["licence"] else {}),
        "citeAs": f"{facts['name']}, snapshot {manifest['name']}, sha256 {manifest['sha256']}",
        "distribution": [_file(folder / name) for name in files],
        "recordSet": [_records(name) for name in files],
        **_responsible(manifest),
    }
    return json.dumps(metadata, ensure_ascii=False, sort_keys=True, indent=2) + "\n"


def _file(path: Path) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_sha256(path),
    }


def _records(file: str) -> dict[str, Any]:
    name = file.removesuffix(".parquet")
    fields = dict(FIELDS)
    if not name.endswith("_no_gold"):
        fields["label"] = ("sc:Integer", "the gold label's index among the labels of the scheme, from 0")
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/pairID"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "description": description,
                "dataType": kind,
                "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
            }
            for column, (kind, description) in fields.items()
        ],
    }


def _responsible(manifest: WithAnswers) -> dict[str, Any]:
    facts, question = manifest["corpus"], manifest["corpus"]["question"]
    rule = rule_of(facts)
    agreement = manifest["agreement"]
    share = agreement.get("individual_equals_gold")
    asked = question["wording"] if wording_is_known(manifest) else ASKED_ELSEWHERE
    metadata: dict[str, Any] = {
        "rai:dataCollection": PROTOCOLS[facts["protocol"]],
        "rai:dataCollectionType": {
            "elicited": "Manual Human Curator",
            "judged": "Software Collection",
            "recast": "Secondary Data Analysis",
        }[facts["protocol"]],
        "rai:dataAnnotationProtocol": (
            f"{asked} Labels: {', '.join(facts['labels'])}. {rule.needs} make a gold label."
        ),
        "rai:annotationsPerItem": rule.seats_in_words,
        "rai:dataAnnotationPlatform": manifest["about"]["software"],
    }
    if share is not None:
        metadata["rai:dataAnnotationAnalysis"] = (
            f"Individual labels equal the gold label in {percent(share)} over "
            f"{agreement['pairs_with_all_labels']:,} pairs with all labels."
        )
    metadata |= _history(manifest)
    answers = manifest.get("datasheet_answers", {})
    metadata |= {name: answers[key] for key, name in ANSWERED.items() if answers.get(key, "").strip()}
    if counted := background(manifest):
        metadata[DEMOGRAPHICS] = "\n".join(
            [*filter(None, counted), *filter(None, [metadata.get(DEMOGRAPHICS)])]
        )
    if tools := list(_tools(manifest)):
        metadata["rai:machineAnnotationTools"] = " ".join(tools)
    return metadata


def _history(manifest: Manifest) -> dict[str, Any]:
    """Returns sources, times and missing data. Older snapshots lack some of these facts."""
    metadata: dict[str, Any] = {}
    days = sorted(day for _, span in days_of_work(manifest) for day in span)
    if days:
        metadata["rai:dataCollectionTimeFrame"] = [days[0], days[-1]]
    sources = [
        f"{source['file']} (sha256 {source['sha256']}, licence: {source['licence'] or 'not said'}): "
        f"{source['premises']:,} premises, {source['pairs']:,} pairs."
        for source in manifest.get("provenance", [])
    ]
    if sources:
        metadata["rai:dataCollectionRawData"] = " ".join(sources)
    if missing := list(_missing(manifest)):
        metadata["rai:dataCollectionMissingData"] = " ".join(missing)
    return metadata


def _missing(manifest: Manifest) -> Iterator[str]:
    if undecided := manifest["gold_sources"].get("none"):
        yield f"Pairs without a gold label: {undecided:,}."
    for why, genres in manifest["left_out"].items():
        yield f"Pairs left out ({why}): {sum(genres.values()):,}."
    yield from withdrawn(manifest)


def _tools(manifest: Manifest) -> Iterator[str]:
    simulated = manifest["simulated"]
    if simulated["labels"] or simulated["pairs"]:
        yield f"A simulated crowd made {simulated['labels']:,} labels and {simulated['pairs']:,} pairs."
    if parser := manifest.get("parser"):
        if "file" in parser:
            yield f"Parse trees of the file {parser['file']} were made by {parser['tool']} and attached to the pairs."
        else:
            yield (
                f"Parse trees named in derived_parses are derived by rule (rules {parser['rules']}) from dependency parses "
                f"of {parser['tool']} {parser['version']} with {parser['model']}."
            )
