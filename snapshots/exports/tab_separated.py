"""Write tab-separated text with the columns of SNLI 1.0, MultiNLI 1.0 or MPE.

These files cannot hold tabs and line breaks in texts: both become spaces, and export.json counts the changed texts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from collection.premise_ids import published_id
from nli.lines import SIDES, Line, premises_of
from nli.manifest import Manifest
from snapshots.exports.limits import NLI3, ExportError, check_nli3, check_one_sentence
from snapshots.exports.matched import Part, by_matched_genres, whole_partitions
from snapshots.files.reading import by_portion

LABEL_COLUMNS = 5
LABELS = tuple(f"label{number}" for number in range(1, LABEL_COLUMNS + 1))
SNLI = (
    "gold_label",
    *(f"{side}{part}" for part in ("_binary_parse", "_parse", "") for side in SIDES),
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
Notes = dict[str, int]


def snli_txt(source: Path, manifest: Manifest, out: Path) -> Notes:
    return _one_sentence_a_premise(source, manifest, out, SNLI, "snli_txt", whole_partitions(manifest))


def multinli_txt(source: Path, manifest: Manifest, out: Path) -> Notes:
    return _one_sentence_a_premise(
        source, manifest, out, MULTINLI, "multinli_txt", by_matched_genres(manifest)
    )


def mpe(source: Path, manifest: Manifest, out: Path) -> Notes:
    check_nli3(manifest, "mpe")

    def cells(line: Line) -> list[str]:
        given = line["annotator_labels"]
        judgements = [str(given.count(label)) for label in NLI3]
        return [line["pairID"], *_captions(line), line["sentence2"], *judgements, line["gold_label"]]

    return _write(source, whole_partitions(manifest), out, MPE, cells)


def _captions(line: Line) -> list[str]:
    """Returns `caption id/text` for each sentence. The id of an MPE premise consists of its captions' ids."""
    sentences = premises_of(line)
    if len(sentences) != MPE_PREMISES:
        raise ExportError(
            f"mpe has four sentences in each premise; the premise {line['promptID']!r} has {len(sentences)}. Use jsonl."
        )
    # Where a published file gives two scenes the same id, the import added a mark; the export removes it.
    ids = published_id(line["promptID"]).split(" ")
    if len(ids) != len(sentences):
        ids = [f"{line['promptID']}#{number}" for number in range(len(sentences))]
    return [f"{name}/{text}" for name, text in zip(ids, sentences, strict=True)]


def _one_sentence_a_premise(
    source: Path,
    manifest: Manifest,
    out: Path,
    columns: Sequence[str],
    format_name: str,
    parts: Iterable[Part],
) -> Notes:
    check_nli3(manifest, format_name)
    facts = manifest["corpus"]
    if facts["question"]["seats"] > LABEL_COLUMNS:
        seats = facts["question"]["seats"]
        raise ExportError(
            f"{format_name} has five columns for labels; a pair of {facts['slug']} has {seats} labels. Use jsonl."
        )

    names = ["promptID" if name == "captionID" else name for name in columns]
    padding = [""] * LABEL_COLUMNS

    def cells(line: Line) -> list[str]:
        check_one_sentence(line, format_name)
        labels = [*line["annotator_labels"], *padding][:LABEL_COLUMNS]
        return [line[name] for name in names] + labels

    return _write(source, parts, out, (*columns, *LABELS), cells)


def _write(
    source: Path,
    parts: Iterable[Part],
    out: Path,
    header: Sequence[str],
    cells_of: Callable[[Line], list[str]],
) -> Notes:
    """Writes one .txt for each part."""

    def text_of(part: Part, read: Iterator[Line]) -> tuple[bytes, int]:
        rows, changed = [], 0
        for line in part.of(read):
            cells = cells_of(line)
            row = "\t".join(cells)
            # Few rows hold tabs or line breaks: only their cells are changed.
            if row.count("\t") >= len(header) or "\n" in row or "\r" in row:
                flat = [" ".join(cell.split()) if set(cell) & set("\t\r\n") else cell for cell in cells]
                changed += sum(cell != written for cell, written in zip(cells, flat, strict=True))
                row = "\t".join(flat)
            rows.append(row + "\n")
        return "".join(rows).encode(), changed

    changed = 0
    for part in parts:
        with (out / f"{part.stem}.txt").open("wb") as stream:
            stream.write(("\t".join(header) + "\n").encode())
            for text, flattened in by_portion(source / part.source, partial(text_of, part)):
                stream.write(text)
                changed += flattened
    return {"texts_with_tabs_or_line_breaks": changed}
