"""`python -m tests.replication.round_trips --data FOLDER`.

Imports, freezes and exports published corpora, and compares field by field. Prints Markdown: how many pairs came out as
they went in, and each difference with its count and an example. Works on an SQLite database of its own, which is
deleted afterwards.
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import django

Record = Mapping[str, Any]
ABSENT = "(absent)"


@dataclass(frozen=True)
class Form:
    """How a corpus is exported, and how a published line and one of ours are read into records with the same keys.

    `keys` identify a record; `dropped` names what an import does not read.
    """

    export: str
    published: Callable[[Path], Iterator[Record]]
    ours: Callable[[Path], Iterator[Record]]
    keys: tuple[str, ...]
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Trip:
    """The files of a corpus by their partition; "" if the lines name it."""

    form: str
    files: Mapping[str, tuple[str, ...]]
    scheme: str = "nli3"


@dataclass
class Found:
    """The result of a trip. `examples`: field -> a published value and ours, for each field that differs."""

    published: int = 0
    out: int = 0
    equal: int = 0
    lost: list[Any] = field(default_factory=list)
    new: list[Any] = field(default_factory=list)
    differing: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[Any, Any, Any]] = field(default_factory=dict)


def opened(path: Path) -> Iterator[str]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as text
    ):
        yield from text


def json_lines(path: Path) -> Iterator[Record]:
    return map(json.loads, opened(path))


def json_array(path: Path) -> Iterator[Record]:
    yield from json.loads("".join(opened(path)))


def tab_separated(path: Path) -> Iterator[Record]:
    """Reads a table by its header's names. Reports and corrects MPE's line whose last tab became three spaces."""
    lines = (line.rstrip("\n") for line in opened(path))
    header = next(lines).split("\t")
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(header):
            print(f"- {path.name}, line {number}: {len(cells)} cells for {len(header)} columns; mended.")
            cells = line.replace("   ", "\t").split("\t")
        yield dict(zip(header, cells, strict=True))


def lingnli(path: Path) -> Iterator[Record]:
    """Returns a line of ours with the keys of LingNLI.

    The import adds the corpus to codes, and a suffix to repeated ids.
    """
    for line in json_lines(path):
        codes = [code.partition(":")[2] for code in line["annotator_codes"]]
        is_judged = len(codes) > 1
        yield {
            "pairID": line["pairID"].partition("~")[0],
            "promptID": line["promptID"].partition("~")[0],
            "premise": line["sentence1"],
            "hypothesis": line["sentence2"],
            "label": line["gold_label"],
            "annotator_labels": line["annotator_labels"],
            **({"annotator_ids": codes} if is_judged else {"AnonId": line["author"].partition(":")[2]}),
        }


FORMS = {
    "snli": Form("snli_jsonl", json_lines, json_lines, ("pairID",)),
    "mpe": Form("mpe", tab_separated, tab_separated, ("ID",)),
    "dnc": Form("dnc", json_array, json_array, ("split", "pair-id")),
    "dnc-relations": Form("dnc", json_array, json_array, ("split", "pair-id")),
    "dnc-function-words": Form("dnc", json_array, json_array, ("pair-id",)),
    "lingnli": Form(
        "jsonl",
        json_lines,
        lingnli,
        ("pairID", "hypothesis"),
        frozenset(
            {
                "group",
                "round",
                "heuristic",
                "heuristic_checked",
                "heuristic_gold_label",
                "heuristic_labels",
                "glue_labels",
            }
        ),
    ),
}


def dnc(name: str, *parts: str, zipped: str = "") -> dict[str, tuple[str, ...]]:
    return {
        "": tuple(
            f"dnc/{part}/recast_{name}_data.json{'.gz' if part in zipped.split() else ''}" for part in parts
        )
    }


TRIPS = {
    "SNLI, five labels": Trip(
        "snli", {"dev": tuple(f"snli_5label/snli_1.0_{n}_subset.jsonl" for n in ("dev", "test"))}
    ),
    "MPE": Trip(
        "mpe",
        {"train": ("mpe/mpe_train.txt.gz",), "dev": ("mpe/mpe_dev.txt",), "test": ("mpe/mpe_test.txt",)},
    ),
    "LingNLI, base": Trip(
        "lingnli", {"train": ("lingnli/train_base.jsonl.gz",), "dev": ("lingnli/val_base.jsonl.gz",)}
    ),
    "LingNLI, LotS": Trip(
        "lingnli", {"train": ("lingnli/train_LotS.jsonl.gz",), "dev": ("lingnli/val_LotS.jsonl.gz",)}
    ),
    "DNC, verbs": Trip("dnc", dnc("verbnet", "train", "dev", "test"), "entailed2"),
    "DNC, sentiment": Trip("dnc", dnc("sentiment", "train", "dev", "test", zipped="train"), "entailed2"),
    "DNC, factuality": Trip("dnc", dnc("factuality", "dev", "test", zipped="dev test"), "entailed2"),
    "DNC, puns": Trip("dnc", dnc("puns", "dev", "test"), "entailed2"),
    "DNC, gender": Trip("dnc", dnc("winogender", "test"), "entailed2"),
    "DNC, relations": Trip("dnc-relations", dnc("kg_relations", "dev", "test", zipped="dev"), "ordinal5"),
    **{
        f"DNC, {name}": Trip("dnc-function-words", {"": (f"dnc/function_words/nli-{name}_data.json",)})
        for name in ("comparatives", "negation", "prepositions", "quantification", "spatial")
    },
}


def travel(
    slug: str, trip: Trip, data: Path, folder: Path
) -> tuple[list[tuple[str, Record]], list[tuple[str, Record]]]:
    """Returns published records and ours, each with its partition."""
    from django.core.management import call_command

    form, published, ours = FORMS[trip.form], [], []
    for partition, names in trip.files.items():
        paths = [data / name for name in names]
        options: dict[str, Any] = {"format": trip.form, "scheme": trip.scheme, "json": True}
        if partition:
            options["partition"] = partition
        told = StringIO()
        call_command("import_pairs", slug, *map(str, paths), stdout=told, **options)
        summary = json.loads(told.getvalue())
        if summary["refused_count"]:
            print(f"- {slug}: {summary['refused_count']} lines were refused: {summary['refused'][:1]}")
        for record in (record for path in paths for record in form.published(path)):
            published.append((partition or str(record.get("split", "")), record))
    call_command("freeze_snapshot", slug, stdout=StringIO())
    out = folder / slug
    call_command("export_snapshot", f"{slug}@1", format=form.export, out=out, stdout=StringIO())
    for path in sorted(out.iterdir()):
        partition = path.stem.removesuffix("_data")
        if partition in ("train", "dev", "test"):
            ours += [(partition, record) for record in form.ours(path)]
    return published, ours


def compare(published: Iterable[tuple[str, Record]], ours: Iterable[tuple[str, Record]], form: Form) -> Found:
    """Matches records with the same keys and partition. If several have the same keys, it takes the most similar one."""
    waiting: defaultdict[Any, list[Record]] = defaultdict(list)
    found = Found()
    for partition, record in ours:
        waiting[_key(partition, record, form)].append(record)
        found.out += 1
    for partition, record in published:
        found.published += 1
        key = _key(partition, record, form)
        if not waiting[key]:
            found.lost.append(key)
            continue
        differ, other = min(
            ((_differing(record, each, form), each) for each in waiting[key]), key=lambda found: len(found[0])
        )
        waiting[key].remove(other)
        found.equal += not differ
        for name in differ:
            found.differing[name] += 1
            found.examples.setdefault(name, (key, record.get(name, ABSENT), other.get(name, ABSENT)))
    found.new = [key for key, records in waiting.items() for _ in records]
    return found


def _differing(record: Record, other: Record, form: Form) -> list[str]:
    names = sorted({*record, *other} - form.dropped)
    return [name for name in names if record.get(name, ABSENT) != other.get(name, ABSENT)]


def _key(partition: str, record: Record, form: Form) -> tuple[Any, ...]:
    return (partition, *(record[name] for name in form.keys))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.replication.round_trips", description=__doc__)
    parser.add_argument("trips", nargs="*", metavar="TRIP", help="beginning of a name; without one, all")
    parser.add_argument("--data", type=Path, required=True, help="the published corpora, a folder each")
    options = parser.parse_args()
    chosen = {
        name: trip
        for name, trip in TRIPS.items()
        if not options.trips or name.startswith(tuple(options.trips))
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ |= {"DATABASE_URL": f"sqlite:///{folder}/trips.sqlite3", "QUINTET_VAR": name}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        tell(chosen, options.data, folder)


def tell(trips: Mapping[str, Trip], data: Path, folder: Path) -> None:
    rows, details = [], []
    for number, (name, trip) in enumerate(trips.items()):
        began = time.monotonic()
        found = compare(*travel(f"trip-{number}", trip, data, folder), FORMS[trip.form])
        rows.append(
            f"| {name} | {found.published:,} | {found.out:,} | {found.equal:,} | {len(found.lost):,} | {len(found.new):,} |"
        )
        details += [
            f"- {name}, `{key}`: {times:,}; {found.examples[key]}"
            for key, times in sorted(found.differing.items())
        ]
        details += [
            f"- {name}, {what}: {keys[:2]}"
            for what, keys in (("lost", found.lost), ("new", found.new))
            if keys
        ]
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    print(
        "\n| corpus | pairs published | came out | equal in every field | lost | new |\n|---|---|---|---|---|---|"
    )
    print("\n".join(rows), "\n".join(details), sep="\n\n")


if __name__ == "__main__":
    main()
