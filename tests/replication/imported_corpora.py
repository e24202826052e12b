"""`python -m tests.replication.imported_corpora --data FOLDER [--write]`: counts what is imported of each published corpus.

Tries every file with `import_pairs --dry-run` on an SQLite database of its own, which is deleted afterwards. With
`--write` it imports every file into a corpus of its own, and counts the rows that are then in the database. Prints Markdown,
and names each row that differs from docs/imported-corpora.md.
"""

import argparse
import json
import os
import tempfile
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from io import StringIO
from itertools import chain
from pathlib import Path

import django
from django.utils.text import slugify

TABLE = Path(__file__).parents[2] / "docs" / "imported-corpora.md"
COLUMNS = (
    *("files", "format", "rows in", "pairs", "votes", "authors' labels", "published labels"),
    *("passed over", "refused", "kept and refused"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
WENT = ("rows_in_pairs", "rows_skipped", "rows_of_other_genres", "refused_count")
COUNTED = ("rows", "pairs", "labels", "author_labels", "published_labels", "skipped", "refused_count")

WHOLE = bool(os.environ.get("WHOLE_CORPORA"))  # tests read large corpora whole, as once before a release


@dataclass(frozen=True)
class Tried:
    """Files of one corpus: a pattern below the folder of data, their format, and remarks on the outcome."""

    files: str
    form: str
    told: str = ""


ONE_LABEL = "answers of several labels are no votes"
TRIED = (
    Tried(
        "ambient/ambient_full.jsonl",
        "ambient",
        f"{ONE_LABEL} (579) and stay in the metadata; readings are not kept",
    ),
    Tried(
        "ambient/crowdworker*",
        "ambient-crowd",
        "nine answers about the whole item; those about its readings are not kept",
    ),
    Tried("ambient/linguist*", "ambient-linguists", f"{ONE_LABEL} (1,235) and stay in the metadata"),
    Tried(
        "anli/anli_dev*",
        "anli",
        "the writer's label and the verifiers'; round, tags and the model's answer are metadata",
    ),
    Tried(
        "anli/anli_test*",
        "jsonl",
        "`tag` (the round) is not read; `anli` takes the file too, the label as the writer's",
    ),
    Tried(
        "chaosnli/*.jsonl",
        "chaosnli",
        "five labels decide, a hundred stand behind them; the source is metadata",
    ),
    Tried(
        "commitmentbank/*.csv",
        "commitmentbank",
        "binned: -3 to -1, 0, 1 to 3; the answers themselves, verb, embedding, mean are metadata",
    ),
    Tried(
        "counterfactual_nli/*.tsv",
        "multinli_txt",
        "originals, revised hypotheses and revised premises each in a corpus of its own: together, 38 pairs stand there"
        " twice with two labels",
    ),
    Tried("dnc/*/recast_[!k]*_data.json*", "dnc", "source, licence, split and the rest of the metadata"),
    Tried(
        "dnc/*/recast_kg*_data.json*",
        "dnc-relations",
        "three to five judgements of test pairs; the label where there are none",
    ),
    Tried("dnc/function_words/*_data.json", "dnc-function-words"),
    Tried(
        "entailment_new_protocols/*",
        "new-protocols",
        "the article is the group; training tables name no author",
    ),
    Tried(
        "imppres/*/*.gz",
        "imppres",
        "logical labels; the pragmatic ones and the paradigm are metadata (`imppres-pragmatic`: the other way)",
    ),
    Tried("joci/joci.csv.gz", "joci", "refused: the label 0; sources are metadata"),
    Tried("joci/joci-AnB.csv.gz", "joci", "the same without the subsets A and B"),
    Tried("klue_nli_dev/*.json", "klue"),
    Tried(
        "lingnli/val_*",
        "lingnli",
        "annotators; rounds and heuristics are not read; a corpus for each protocol, as ids repeat",
    ),
    Tried(
        "lingnli/train_*",
        "lingnli",
        "the published label is kept where it is not the author's; a corpus for each protocol",
    ),
    Tried("litex/esnli*", "litex", "rows are explanations, which are not kept"),
    Tried(
        "litex/varierr*",
        "litex",
        "rows are explanations; no label where they are of several (150): take `varierr`",
    ),
    Tried("livenli/livenli.csv", "livenli", f"rows are answers; {ONE_LABEL} (210) and stay in the metadata"),
    Tried("med/MED.tsv", "med", "the kind of monotonicity is metadata"),
    Tried("mpe/mpe_*", "mpe", "the final label stands beside the votes"),
    Tried("multinli_dev_matched_gold/*.gz", "jsonl"),
    Tried(
        "multinli_train_genre_sample/*.gz",
        "multinli_txt",
        "refused: three premises that are other lines run together",
    ),
    Tried(
        "nli_variation/preprocessed-data.jsonl",
        "nli-variation",
        "binned: -50 to -17, -16 to 16, 17 to 50; the answers themselves and the original label are metadata",
    ),
    Tried("nli_variation/preprocessed-context*", "nli-variation", "the same"),
    Tried("rte_glue/*.gz", "rte-glue", "the partition is in `tag`"),
    Tried("rte_pascal/*.xml", "rte", "the task is the genre; a corpus for each file"),
    Tried("semi_automatic_nli/*.jsonl*", "semi-automatic-nli", "writers and annotators; `x` is no label"),
    Tried("sick/SICK.txt.gz", "sick", "partitions; relatedness and directions are metadata"),
    Tried("sick/SICK_*.txt", "sick"),
    Tried("snli_5label/*.jsonl", "snli", "parses"),
    Tried("snli_gold/*.gz", "jsonl"),
    Tried(
        "varierr/varierr.jsonl",
        "varierr",
        f"{ONE_LABEL} (53) and stay in the metadata, as do label sets of both rounds; explanations are not kept",
    ),
    Tried(
        "varierr/lewidi_[!a]*.json",
        "varierr",
        f"{ONE_LABEL} (51) and stay in the metadata; a corpus for each file, as 5 ids repeat",
    ),
    Tried("xnli_en/*.tsv", "multinli_txt"),
)
PREMISES = Tried(
    "text_genres/*.tsv*",
    "import_premises",
    "no pairs, but texts to write hypotheses for: {premises:,} premises are kept, and filters drop {dropped:,}",
)


def counts_of(tried: Tried, data: Path, *, write: bool = False) -> Counter[str]:
    """Returns the counts of each file, summed: of a dry run, or of what was written."""
    from django.core.management import call_command

    total = Counter[str]()
    for path in sorted(data.glob(tried.files)):
        if path.name.startswith("README"):
            continue
        out, slug = StringIO(), slug_of(path.relative_to(data)) if write else "trial"
        call_command(
            "import_pairs",
            slug,
            path,
            format=tried.form,
            dry_run=not write,
            json=True,
            stdout=out,
            stderr=StringIO(),
        )
        told = json.loads(out.getvalue())
        if told["rows"] != sum(told[key] for key in WENT):
            raise SystemExit(f"{path.name}: the rows do not add up.")
        total.update({key: told[key] for key in COUNTED} | (stored(slug) if write else {}))
    if not total["pairs"]:
        raise SystemExit(f"No pairs in {data / tried.files}.")
    return total


def premises_row(data: Path) -> str:
    """Returns the row of the folder whose files are premises, by a dry run of each."""
    from django.core.management import call_command

    from validation.pairs.published_labels import create_corpus

    corpus = create_corpus(slug="premises", scheme="nli3", protocol="elicited")
    corpus.genres.create(slug="all", name="all")
    total = Counter[str]()
    for path in sorted(data.glob(PREMISES.files)):
        out = StringIO()
        options = {"genre": "all", "dry_run": True, "json": True, "stdout": out, "stderr": StringIO()}
        call_command("import_premises", "premises", path, **options)
        told = json.loads(out.getvalue())
        dropped = sum(each["count"] for each in told["dropped"].values())
        total.update({key: told[key] for key in ("premises", "refused_count")} | {"dropped": dropped})
        total["rows"] += told["premises"] + dropped + told["refused_count"]
    return row_of(replace(PREMISES, told=PREMISES.told.format(**total)), total)


def slug_of(path: Path) -> str:
    return f"{slugify(path.stem)[:40]}-{zlib.crc32(str(path).encode()):x}"


def stored(slug: str) -> dict[str, int]:
    """Returns how many pairs and labels of a corpus are in the database."""
    from collection.models import Pair
    from validation.models import Label

    pairs = Pair.objects.filter(corpus__slug=slug)
    return {
        "pairs": pairs.count(),
        "labels": Label.objects.filter(pair__corpus__slug=slug).count(),
        "author_labels": pairs.filter(author_label__isnull=False).count(),
        "published_labels": pairs.filter(published_label__isnull=False).count(),
    }


def row_of(tried: Tried, counts: Counter[str]) -> str:
    numbers = (counts[key] for key in COUNTED)
    cells = (f"`{tried.files}`", f"`{tried.form}`", *(f"{number:,}" for number in numbers), tried.told)
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.replication.imported_corpora", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of published corpora")
    parser.add_argument(
        "--write", action="store_true", help="import instead of trying, and count the stored rows"
    )
    options = parser.parse_args()
    documented = TABLE.read_text(encoding="utf-8").splitlines()
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": f"sqlite:///{folder}/trial.sqlite3", "QUINTET_VAR": folder}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        print(HEAD)
        rows = (row_of(tried, counts_of(tried, options.data, write=options.write)) for tried in TRIED)
        for row in chain(rows, map(premises_row, [options.data])):
            print(row, flush=True)
            if row not in documented:
                differing.append(row.split("|")[1].strip())
    print(
        "\n"
        + (
            f"Not as in {TABLE.name}: {', '.join(differing)}"
            if differing
            else f"All rows are as in {TABLE.name}."
        )
    )


if __name__ == "__main__":
    main()
