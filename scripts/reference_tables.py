"""Writes the tables of the reference pages that are made from schemas: python -m scripts.reference_tables.

With --check nothing is written, and the exit code is 1 where a page is stale.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from collection import corpus_schema as corpus
from modeling.baselines import config, settings
from modeling.baselines.catalogue import BASELINES, doc_of
from nli.manifest import Facts, Manifest
from nli.shapes import Field, fields_of, words_for

HEAD = ("| key | default | meaning |", "|---|---|---|")


def rows(model: type[BaseModel], without: Iterable[str] = ()) -> list[str]:
    """Returns a row for each key of a model: name, default, meaning."""
    left_out = set(without)
    return [
        f"| `{key}` | {default_in_words(field)} | {field.description or ''} |".replace("|  |", "| |")
        for key, field in model.model_fields.items()
        if key not in left_out
    ]


def default_in_words(field: FieldInfo) -> str:
    """Returns a default as people type it."""
    if field.is_required():
        return "needed"
    default: Any = field.default
    if default is None or default == () or not isinstance(default, str | bool | int | float):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f'`"{default}"`' if isinstance(default, str) else f"`{default}`"


def with_table(page: str, heading: str, table: Iterable[str]) -> str:
    """Returns the page with the first table under this heading replaced. Raises ValueError if there is none."""
    start = page.index(f"\n{heading}\n")
    rest = page[start + 1 :]
    found = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)
    following = re.search(r"^#+ ", rest[len(heading) :], re.MULTILINE)
    if found is None or (following and found.start() > len(heading) + following.start()):
        raise ValueError(f"There is no table under {heading}.")
    return page[: start + 1] + rest[: found.start()] + "\n".join(table) + "\n" + rest[found.end() :]


REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"

CORPUS_FILE: dict[str, type[BaseModel]] = {
    "`[corpus]`": corpus.CorpusPart,
    "`[consent]`": corpus.ConsentPart,
    "`[[consent.facts]]`": corpus.FactPart,
    "`[advice]`": corpus.AdvicePart,
    "`[exam]` and `[question.exam]`": corpus.ExamPart,
    "`[[exam.items]]` and `[[question.exam.items]]`": corpus.ExamItemPart,
    "`[question]`": corpus.QuestionPart,
    "`[[questions]]`": corpus.SideQuestionPart,
    "`[[question.labels]]`": corpus.WordedLabel,
    "`[[question.examples]]` and `[[prompts.examples]]`": corpus.Example,
    "`[[question.calibration]]`": corpus.CalibrationPart,
    "`[[question.partitions]]`": corpus.PartitionRule,
    "`[[question.faq]]` and `[[prompts.faq]]`": corpus.Faq,
    "`[[prompts]]`": corpus.PromptPart,
    "`[[prompts.fields]]`": corpus.WrittenField,
    "`[[question.check]]` and `[[prompts.check]]`": corpus.Check,
    "`[[genres]]`": corpus.GenrePart,
    "`[[levels]]`": corpus.LevelPart,
    "`[[translations]]`": corpus.TranslationPart,
    "`[translations.question]` and `[[translations.questions]]`": corpus.TranslatedSideQuestion,
    "`[[translations.prompts]]`": corpus.TranslatedPrompt,
    "`[[translations.levels]]`": corpus.TranslatedLevel,
    "`[[translations.question.labels]]`": corpus.TranslatedLabel,
    "`[[translations.prompts.fields]]`": corpus.TranslatedField,
    "`[translations.exam]` and `[translations.question.exam]`": corpus.TranslatedExam,
    "`[[translations.question.faq]]` and `[[translations.prompts.faq]]`": corpus.TranslatedFaq,
}


def corpus_file(page: str) -> str:
    for heading, model in CORPUS_FILE.items():
        inherited = corpus.QuestionPart.model_fields if model is corpus.SideQuestionPart else ()
        page = with_table(page, f"## {heading}", [*HEAD, *rows(model, inherited)])
    return page


def run_json(page: str) -> str:
    regime = [*config.Regime.model_fields]
    learning, vectors = settings.LearningSettings, settings.NeuralSettings
    further = ("mixed", "start", *regime)
    tables = {
        "RUN.json": [*HEAD, *rows(config.RunConfig, further)],
        "What else may be asked for": [
            *HEAD,
            *rows(config.RunConfig, {*config.RunConfig.model_fields} - {*further}),
        ],
        "Each of `mixed`": [*HEAD, *rows(config.MixedFile)],
        "EVAL.json": [*HEAD, *rows(config.EvaluationConfig)],
        "Settings of all that learns in epochs": [*HEAD, *rows(learning)],
        "Settings of what reads word vectors": [*HEAD, *rows(vectors, learning.model_fields)],
        "Presets": [
            "| baseline | preset `paper` sets | what still differs from the paper |",
            "|---|---|---|",
            *(row for name in BASELINES if (row := _preset(name))),
        ],
        "Settings by baseline": [
            "| baseline | has | settings |",
            "|---|---|---|",
            *map(_baseline, BASELINES),
        ],
    }
    for heading, table in tables.items():
        page = with_table(page, f"## {heading}", table)
    return page


def _baseline(name: str) -> str:
    """Returns the row of a baseline: its settings beyond the common ones, and defaults that differ from theirs."""
    kind = BASELINES[name]
    common, has = next(
        (
            (each, has)
            for each, has in (
                (settings.NeuralSettings, "both"),
                (settings.LearningSettings, "those of epochs"),
            )
            if issubclass(kind, each)
        ),
        (None, "neither"),
    )
    told = []
    for key, field in kind.model_fields.items():
        known = common.model_fields.get(key) if common else None
        if known is None:
            told.append(f"`{key}` {default_in_words(field)}: {field.description}")
        elif known.default != field.default:
            told.append(f"`{key}` {default_in_words(field)}")
    return f"| `{name}`: {doc_of(kind)} | {has} | {'; '.join(told) or 'none'} |"


def _preset(name: str) -> str:
    """Returns the row of a baseline: what its preset `paper` changes. Empty if it changes nothing."""
    kind = BASELINES[name]
    if kind.PAPER is None or not (kind.PAPER or kind.DIFFERENCES):
        return ""
    told = "; ".join(f"`{key}` `{json.dumps(value)}`" for key, value in kind.PAPER.items())
    return f"| `{name}` | {told or 'the same as `default`'} | {kind.DIFFERENCES} |"


def snapshot_files(page: str) -> str:
    facts = [f"| `{key.name}` | {_kind(key)} | {key.meaning} |" for key in fields_of(Facts)]
    page = with_table(page, "## corpus.json", ["| key | type | meaning |", "|---|---|---|", *facts])
    keys = [
        f"| `{key.name}` | {_kind(key)} | {key.since or 'where needed'} | {key.meaning} |"
        for key in fields_of(Manifest)
    ]
    return with_table(
        page, "## manifest.json", ["| key | type | since | meaning |", "|---|---|---|---|", *keys]
    )


def figures(page: str) -> str:
    """Returns the page of all figures; nothing of it is written by hand."""
    from django import setup

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    setup()
    from shared.figures import FIGURES
    from shared.tables import Column

    def row(column: Column) -> str:
        name = column.name.format("*each*")
        return f"| {name.replace('|', '&#124;')} | {column.kind} | {column.definition} | {column.source} |".replace(
            "|  |", "| |"
        )

    lines = [
        "# Figures",
        "",
        "What pages, files, REST and `manage.py figure` show, with the definition of each column. Made by `python -m"
        " scripts.reference_tables` from the figures' declarations.",
    ]
    for name, figure in FIGURES.items():
        parameters = ", ".join(f"`{each}`" for each in figure.parameters.model_fields)
        path = re.sub(r"<[a-z]+:([a-z]+)>", r"{\1}", figure.scope.path)
        address = f"/api/v1/{path}figures/{name}"
        lines += [
            "",
            f"## {name}",
            "",
            f"{figure.title}. `{address}`{f', with {parameters}' if parameters else ''}",
        ]
        if figure.columns:
            head = ["", "| column | format | definition | source |", "|---|---|---|---|"]
            lines += [*head, *map(row, figure.columns)]
        lines += [line for note in figure.notes for line in ("", note)]
    return "\n".join(lines) + "\n"


def _kind(key: Field) -> str:
    return words_for(key.kind).removeprefix("an ").removeprefix("a ")


PAGES: dict[str, Callable[[str], str]] = {
    "corpus-file.md": corpus_file,
    "figures.md": figures,
    "run-json.md": run_json,
    "snapshot-files.md": snapshot_files,
}


def stale() -> Iterator[tuple[Path, str]]:
    """Returns each page that differs from the schemas, with its correct text."""
    for name, made in PAGES.items():
        path = REFERENCE / name
        text = path.read_text(encoding="utf-8")
        if (wanted := made(text)) != text:
            yield path, wanted


def main(arguments: list[str]) -> int:
    found = list(stale())
    for path, text in found:
        if "--check" in arguments:
            print(f"{path.name} is stale: run python -m scripts.reference_tables")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: written")
    return 1 if found and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
