"""Write the datasheet of a snapshot (Gebru et al. 2021).

Facts come from the manifest. Researchers answer the other questions; a question without an answer is marked as such.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import NotRequired

from nli.gold import SOURCES
from nli.labels import NO_GOLD, QUESTION
from nli.lines import rule_of
from nli.manifest import Manifest
from nli.percentages import percent

DATASHEET = "datasheet.md"
BLANK = "*Not answered yet.*"
ASKED_ELSEWHERE = "The labels came with the corpus; its publication says what annotators were asked."
PROTOCOLS = {
    "elicited": "People wrote each hypothesis for a premise and a label.",
    "judged": "Premises and hypotheses were paired by machine; people judged the pairs.",
    "recast": "The pairs were made from annotation of another task.",
}

# The questions of a datasheet that no database can answer. Answers are stored under the keys, which never change.
QUESTIONS = {
    "purpose": "For what purpose was the corpus made, by whom, and who paid for it?",
    "sources": "Where are the premises from, and may they be used like this?",
    "people": "Who wrote and labelled, how were they found and paid, and what did they agree to?",
    "background": "What is known of the annotators' background, where they consented, in aggregate?",
    "sensitive": "Does the corpus hold personal, offensive or upsetting content, and what was done about it?",
    "uses": "What should it be used for, and what not?",
    "biases": "Which biases and artifacts are known, and what do they mean for users?",
    "maintenance": "Who looks after it, and how are errors reported?",
}


class WithAnswers(Manifest):
    """A manifest as exports receive it: with the answers of the datasheet, which its file never contains."""

    datasheet_answers: NotRequired[dict[str, str]]


def canary(manifest: Manifest) -> str:
    """Returns the canary of the snapshot's corpus."""
    return canary_of(manifest["corpus"]["slug"], manifest["corpus"]["name"])


def canary_of(slug: str, name: str) -> str:
    """Returns a string by which the corpus can be found in training data; all snapshots of a corpus have the same."""
    digest = sha256(f"quintet {slug} {name}".encode()).hexdigest()
    return f"quintet-canary {digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"


def blanks(answers: Mapping[str, str]) -> dict[str, str]:
    """Returns the questions without an answer, by key."""
    return {key: question for key, question in QUESTIONS.items() if not answers.get(key, "").strip()}


def datasheet(manifest: Manifest, answers: Mapping[str, str] | None = None) -> str:
    """Returns the datasheet in Markdown: first the number of open questions, then facts, then the answers."""
    facts, given = manifest["corpus"], answers or {}
    left = blanks(given)
    parts = [
        f"# Datasheet: {facts['name']}",
        "",
        f"Snapshot `{manifest['name']}`, sha256 `{manifest['sha256']}`.",
        "",
    ]
    if left:
        parts += [f"**{len(left)} of {len(QUESTIONS)} questions are not answered yet.**", ""]
    parts += [
        "## What is in it",
        "",
        *_composition(manifest),
        "",
        "## How it was made",
        "",
        *_making(manifest),
        "",
    ]
    for key, question in QUESTIONS.items():
        facts_told = background(manifest) if key == "background" else []
        parts += [f"## {question}", "", *facts_told, given.get(key, "").strip() or BLANK, ""]
    parts += [
        "## Canary",
        "",
        f"Benchmark data should not be trained on unknowingly. Canary: `{canary(manifest)}`",
        "",
    ]
    return "\n".join(parts)


def background(manifest: Manifest) -> list[str]:
    """Returns what people said about their background, one line for each question.

    Empty if too few people answered, or the snapshot is older than these questions.
    """
    stored = manifest.get("annotators", {})
    if not stored.get("background"):
        return []
    head = f"Of {stored['people']:,} people who wrote or labelled, at least this many chose to say:"
    rows = [
        f"- {each['question']} {', '.join(f'{answer}: {number:,}' for answer, number in each['at_least'].items())}."
        for each in stored["background"]
    ]
    return [head, "", *rows, ""]


def days_of_work(manifest: Manifest) -> list[tuple[str, list[str]]]:
    """Returns the first and the last day of each kind of work that people did here, as ("written", [first, last])."""
    times = manifest.get("times")  # older snapshots do not have it
    if times is None:
        return []
    kinds = ("written", times["written"]), ("labelled", times["labelled"])
    return [(what, days) for what, days in kinds if days]


def withdrawn(manifest: Manifest) -> list[str]:
    """Returns a sentence for each reason for which pairs or labels were withdrawn."""
    stored = manifest.get("withdrawn")  # older snapshots do not have it
    counted = [("pairs", stored["pairs"]), ("labels", stored["labels"])] if stored else []
    return [
        f"Withdrawn {what}: {number:,} ({because})."
        for what, reasons in counted
        for because, number in reasons.items()
    ]


def wording_is_known(manifest: Manifest) -> bool:
    """Returns whether corpus.json has the wording that annotators read.

    False for an import that nobody labelled here. Snapshots of earlier versions of the software then have Quintet's own
    wording, and the first ones do not say when people labelled.
    """
    wording = manifest["corpus"]["question"]["wording"]
    labelled_here = manifest.get("times", {"labelled": True}).get("labelled")
    return bool(wording) and (bool(labelled_here) or wording != QUESTION)


def _composition(manifest: Manifest) -> list[str]:
    facts = manifest["corpus"]
    rule = rule_of(facts)
    labels = [*rule.gold_labels, NO_GOLD]
    table = [
        f"| partition | pairs | premises | {' | '.join(labels)} |",
        f"|---|{'---|' * (len(labels) + 2)}",
    ]
    for name, counts in manifest["partitions"].items():
        gold = " | ".join(f"{counts['gold_labels'][label]:,}" for label in labels)
        table.append(f"| {name} | {counts['pairs']:,} | {counts['premises']:,} | {gold} |")
    lines = [
        f"- {manifest['pairs']:,} pairs in the language `{facts['language']}`.",
        f"- Labels: {', '.join(rule.gold_labels)}; `-` is no gold label.",
        f"- Genres: {', '.join(genre['name'] for genre in facts['genres'].values())}.",
        f"- Licence: {facts['licence'] or BLANK}",
        *(
            f"- Gold labels of {number:,} pairs: {SOURCES[source]}."
            for source, number in manifest["gold_sources"].items()
        ),
        f"- In more than one partition: {manifest['hypotheses_in_two_partitions']:,} hypotheses, "
        f"{manifest['premises_in_two_partitions']:,} premises.",
    ]
    return [*table, "", *lines]


def _making(manifest: Manifest) -> list[str]:
    facts, question = manifest["corpus"], manifest["corpus"]["question"]
    wordings = "; ".join(f"{label}: {wording}" for label, wording in question["label_wordings"].items())
    rule = rule_of(facts)
    left_out = manifest["answers"].get("left_out", 0) if "answers" in manifest else 0
    asked = f"Validators were asked: {question['wording']} ({wordings})."
    lines = [
        f"- {PROTOCOLS[facts['protocol']]}",
        f"- {asked if wording_is_known(manifest) else ASKED_ELSEWHERE}",
        f"- Labels a pair, the author's among them where a person wrote it: {rule.seats_in_words}; "
        f"{rule.needs} make a gold label.",
        *(
            [
                f"- {left_out:,} answers name several labels. They are in no distribution of labels and no agreement."
            ]
            if left_out
            else []
        ),
        f"- Partitions were drawn with seed {manifest['seed']}, or kept as published.",
    ]
    agreement = manifest["agreement"]
    if agreement.get("pairs_with_all_labels"):
        share = agreement["individual_equals_gold"]
        lines.append(
            f"- Agreement: individual labels equal the gold label in {percent(share)} over "
            f"{agreement['pairs_with_all_labels']:,} pairs with all labels."
            if share is not None
            else "- No pair with all labels has a gold label."
        )
    # Snapshots of earlier versions of the software do not have these.
    for source in manifest.get("provenance", []):
        lines.append(
            f"- From `{source['file']}` (sha256 `{source['sha256'][:12]}`, licence: {source['licence'] or 'not said'}): "
            f"{source['premises']:,} premises, {source['pairs']:,} pairs."
        )
    lines += [
        f"- {what.capitalize()} from {first} to {last}." for what, (first, last) in days_of_work(manifest)
    ]
    lines += [f"- {text}" for text in withdrawn(manifest)]
    parser = manifest.get("parser")
    if parser and "file" in parser:
        lines.append(
            f"- Parse trees of the file {parser['file']} were made by {parser['tool']} and attached to pairs;"
            " `attached_parses` names them."
        )
    elif parser:
        derived = manifest["parses"]["derived"]
        lines.append(
            f"- Parse trees of {derived['sentence1']:,} premises and {derived['sentence2']:,} hypotheses were derived by "
            f"rule (rules {parser['rules']}) from dependency parses of {parser['tool']} {parser['version']} with "
            f"{parser['model']}; `derived_parses` names them."
        )
    labels, pairs = manifest["simulated"]["labels"], manifest["simulated"]["pairs"]
    if labels or pairs:
        lines.append(f"- Made by a simulated crowd: {labels:,} labels, {pairs:,} pairs.")
    return lines
