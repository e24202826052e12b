"""Tab-separated text in the columns of SNLI 1.0, MultiNLI 1.0 and MPE.

Such files cannot hold tabs and line breaks: they become spaces, and export.json says in how many texts.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from snapshots.file_formats.reading import ExportError, lines, partitions
from snapshots.tally import Line

LABEL_COLUMNS = 5
LABELS = tuple(f"label{number}" for number in range(1, LABEL_COLUMNS + 1))
NLI3 = ("entailment", "neutral", "contradiction")
SNLI = (
    "gold_label",
    "sentence1_binary_parse",
    "sentence2_binary_parse",
    "sentence1_parse",
    "sentence2_parse",
    "sentence1",
    "sentence2",
    "captionID",
    "pairID",
)
MULTINLI = (*(name if name != "captionID" else "promptID" for name in SNLI), "genre")
MPE_PREMISES = 4
MPE = (
    "ID",
    *(f"premise{number}" for number in range(1, MPE_PREMISES + 1)),
    "hypothesis",
    *(f"{label}_judgments" for label in NLI3),
    "gold_label",
)
Manifest = Mapping[str, Any]
Notes = dict[str, int]


def snli_txt(source: Path, manifest: Manifest, out: Path) -> Notes:
    return _one_sentence_a_premise(source, manifest, out, SNLI, "snli_txt")


def multinli_txt(source: Path, manifest: Manifest, out: Path) -> Notes:
    return _one_sentence_a_premise(source, manifest, out, MULTINLI, "multinli_txt")


def mpe(source: Path, manifest: Manifest, out: Path) -> Notes:
    _check_scheme(manifest, "mpe")

    def cells(line: Line) -> list[str]:
        given = line["annotator_labels"]
        judgements = [str(given.count(label)) for label in NLI3]
        return [line["pairID"], *_captions(line), line["sentence2"], *judgements, line["gold_label"]]

    return _write(source, manifest, out, MPE, cells)


def _captions(line: Line) -> list[str]:
    """`caption id/text`: a premise of MPE has the ids of its captions as its own, other premises number theirs."""
    sentences = line.get("premise_sentences", [line["sentence1"]])
    if len(sentences) != MPE_PREMISES:
        raise ExportError(
            f"mpe has four sentences a premise; the premise {line['promptID']!r} has {len(sentences)}. Use jsonl."
        )
    ids = line["promptID"].split(" ")
    if len(ids) != len(sentences):
        ids = [f"{line['promptID']}#{number}" for number in range(len(sentences))]
    return [f"{name}/{text}" for name, text in zip(ids, sentences, strict=True)]


def _one_sentence_a_premise(
    source: Path, manifest: Manifest, out: Path, columns: Sequence[str], format_name: str
) -> Notes:
    _check_scheme(manifest, format_name)
    facts = manifest["corpus"]
    if facts["question"]["seats"] > LABEL_COLUMNS:
        seats = facts["question"]["seats"]
        raise ExportError(
            f"{format_name} has five columns for labels; {facts['slug']} has {seats} a pair. Use jsonl."
        )

    def cells(line: Line) -> list[str]:
        if "premise_sentences" in line:
            raise ExportError(
                f"{format_name} has one sentence a premise; the premise {line['promptID']!r} "
                "has several. Use jsonl."
            )
        labels = [*line["annotator_labels"], *[""] * LABEL_COLUMNS][:LABEL_COLUMNS]
        return [line["promptID" if name == "captionID" else name] for name in columns] + labels

    return _write(source, manifest, out, (*columns, *LABELS), cells)


def _check_scheme(manifest: Manifest, format_name: str) -> None:
    facts = manifest["corpus"]
    if facts["scheme"] != "nli3":
        raise ExportError(
            f"{format_name} holds entailment, neutral and contradiction; "
            f"{facts['slug']} has the scheme {facts['scheme']}. Use jsonl."
        )


def _write(
    source: Path,
    manifest: Manifest,
    out: Path,
    header: Sequence[str],
    cells_of: Callable[[Line], list[str]],
) -> Notes:
    """One .txt a partition."""
    changed = 0
    for partition, name in partitions(manifest):
        with (out / f"{partition}.txt").open("w", encoding="utf-8", newline="\n") as stream:
            stream.write("\t".join(header) + "\n")
            for line in lines(source / name):
                cells = cells_of(line)
                flat = [" ".join(cell.split()) if set(cell) & set("\t\r\n") else cell for cell in cells]
                changed += sum(cell != kept for cell, kept in zip(cells, flat, strict=True))
                stream.write("\t".join(flat) + "\n")
    return {"texts_with_tabs_or_line_breaks": changed}
