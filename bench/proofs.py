"""`python -m bench.proofs PROOF ... --data FOLDER`: the papers' tables from published corpora, beside the published figures.

Each proof is a list of `manage.py` commands: corpora are imported and frozen, and `report ... --train-missing` trains what
a table lacks, here, one run after another. It continues where it was, in the database of DATABASE_URL: give it one of
its own.
"""

import argparse
import io
import os
import shlex
import sys
from pathlib import Path

import django

# Corpus -> its commands. {data} is the folder of published corpora. SNLI's training part is not at hand: dev stands for it.
SAMPLE = "{data}/multinli_train_genre_sample"
TABLE = "--format tsv --columns premise=sentence1,hypothesis=sentence2"
PARTS = ("train", "dev", "test")
DNC = "import_pairs {0} {{data}}/dnc/{1}/recast_{0}_data.json{2} --format dnc --partition {1}"
CORPORA = {
    "snli": (
        "import_pairs snli {data}/snli_gold/dev.jsonl.gz --format jsonl --scheme nli3 --partition train",
        "import_pairs snli {data}/snli_gold/test.jsonl.gz --format jsonl --partition test",
        "freeze_snapshot snli --dev-from train=300",
    ),
    "sick": (
        "import_pairs sick {data}/sick/SICK_train.txt --format sick --partition train",
        "import_pairs sick {data}/sick/SICK_trial.txt --format sick --partition dev",
        "import_pairs sick {data}/sick/SICK_test_annotated.txt --format sick --partition test",
        "freeze_snapshot sick",
    ),
    "multinli": (
        f"import_pairs multinli {SAMPLE}/mnli_train.tsv.gz {TABLE} --scheme nli3 --partition train",
        f"import_pairs multinli {SAMPLE}/mnli_val.tsv.gz {TABLE} --partition dev",
        f"import_pairs multinli {{data}}/xnli_en/xnli_en_genre_dev.tsv {TABLE} --partition test",
        f"import_pairs multinli {{data}}/xnli_en/xnli_en_genre_test.tsv {TABLE} --partition test",
        "freeze_snapshot multinli",
    ),
    "mpe": (
        "import_pairs mpe {data}/mpe/mpe_train.txt.gz --format mpe --partition train",
        "import_pairs mpe {data}/mpe/mpe_dev.txt --format mpe --partition dev",
        "import_pairs mpe {data}/mpe/mpe_test.txt --format mpe --partition test",
        "freeze_snapshot mpe",
    ),
    # Hypothesis Only paper, footnote 4 and section 4.2: the subset AGCI alone; the scale in three classes.
    "joci": (
        "import_pairs joci {data}/joci/joci.csv.gz --format joci --scheme nli3 --only-genre AGCI"
        " --label-map 1=contradiction,2-4=neutral,5=entailment",
        "freeze_snapshot joci",
    ),
    **{
        name: (
            *(
                DNC.format(name, part, ".gz" if (name, part) == ("sentiment", "train") else "")
                for part in PARTS
            ),
            f"freeze_snapshot {name}",
        )
        for name in ("sentiment", "verbnet")
    },
}
# Proof -> the corpora, further commands, and the tables with their snapshots.
PROOFS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "snli": (
        ("snli", "sick"),
        (),
        ("snli@1 length-distribution", "snli@1 sick@1 snli-4", "snli@1 sick@1 snli-5", "snli@1 snli-6"),
    ),
    "sick": (("snli", "sick"), (), ("snli@1 sick@1 snli-7",)),
    "figure-4": (
        ("snli",),
        ("train snli@1 --baseline lexicalized --sizes 10,100,1000 --seeds {seeds}",),
        ("snli@1 figure-4",),
    ),
    "regimes": (("multinli", "snli"), (), ("multinli@1 snli@1 multinli-3", "multinli@1 snli@1 multinli-4")),
    "genres": (("multinli", "snli"), (), ("multinli@1 snli@1 multinli-5",)),
    "tags": (("multinli", "snli"), (), ("multinli@1 snli@1 multinli-6",)),
    "mpe": (("mpe", "snli"), (), ("mpe@1 lengths", "mpe@1 overlap", "mpe@1 labels", "mpe@1 snli@1 mpe-6")),
    "hypotheses": (
        ("snli", "mpe", "sick", "multinli", "joci"),
        (),
        (
            "snli@1 mpe@1 sick@1 multinli@1 joci@1 hyponly-1",
            "snli@1 mpe@1 sick@1 multinli@1 joci@1 hyponly-2",
        ),
    ),
    "dnc": (
        ("multinli", "sentiment", "verbnet"),
        (),
        (
            "sentiment@1 verbnet@1 dnc-1",
            "sentiment@1 verbnet@1 dnc-2",
            "multinli@1 sentiment@1 verbnet@1 dnc-3",
        ),
    ),
}


def commands(proof: str, data: Path, seeds: int) -> list[list[str]]:
    """Returns the commands of a proof but its reports, as the shell would split them."""
    corpora, further, _ = PROOFS[proof]
    lines = (*(line for corpus in corpora for line in CORPORA[corpus]), *further)
    return [shlex.split(line.format(data=data, seeds=seeds)) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description=__doc__)
    parser.add_argument("proofs", nargs="+", choices=PROOFS, metavar="PROOF", help=", ".join(PROOFS))
    parser.add_argument("--data", type=Path, required=True, help="the published corpora, a folder each")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of each run, from 1 on (3)")
    parser.add_argument("--tables", action="store_true", help="train nothing")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    for proof in options.proofs:
        prove(proof, options.data.resolve(), options.seeds, trains=not options.tables)


def prove(proof: str, data: Path, seeds: int, *, trains: bool = True) -> None:
    """Runs the commands of a proof that have not run yet, and prints its tables."""
    from django.core.management import call_command

    from snapshots.models import Snapshot

    frozen = {str(one).partition("@")[0] for one in Snapshot.objects.frozen()}
    for command in commands(proof, data, seeds):
        if not trains if command[0] == "train" else command[1] in frozen:
            continue
        print(f"manage.py {shlex.join(command)}", file=sys.stderr, flush=True)
        call_command(*command)
    print(f"## {proof}\n")
    for table in PROOFS[proof][2]:
        if trains and "-" in table.rpartition(" ")[2]:  # the name of a table that runs fill
            complete(table, seeds)
        call_command("report", *table.split())
        print(flush=True)


def complete(table: str, seeds: int) -> None:
    """Trains what a table lacks, until repeating its command queues nothing more."""
    from django.core.management import call_command

    from jobs.claims import claim
    from modeling.models import TrainingRun
    from modeling.running import runner

    while True:
        told = io.StringIO()
        call_command(
            "report",
            *table.split(),
            "--train-missing",
            "--seeds",
            str(seeds),
            stdout=io.StringIO(),
            stderr=told,
        )
        print(told.getvalue(), file=sys.stderr, end="", flush=True)
        queued = list(TrainingRun.objects.filter(status=TrainingRun.Status.QUEUED).order_by("pk"))
        if not queued:
            return
        for run in queued:
            if claimed := claim(TrainingRun, run.pk, worker="bench.proofs"):
                runner.carry_out(claimed, tell=lambda event: None, requeue=False)


if __name__ == "__main__":
    main()
