"""Write the dataset card of a data hub: README.md with the configurations that `datasets` reads."""

import json
from collections.abc import Iterator, Mapping

from nli.lines import PARTITIONS, rule_of
from nli.manifest import Manifest
from snapshots.files.datasheet import DATASHEET, PROTOCOLS, canary


def card(manifest: Manifest, files: Mapping[str, int]) -> str:
    """Return README.md with the configurations in its head, as `datasets.load_dataset(FOLDER)` reads it.

    files: the number of rows of each Parquet file.
    """
    facts = manifest["corpus"]
    rule = rule_of(facts)
    order = "same order" if rule.labels == rule.gold_labels else f"order {', '.join(rule.labels)}"
    head = ["---", f"pretty_name: {json.dumps(facts['name'], ensure_ascii=False)}"]
    head += ["task_categories:", "- text-classification", "language:", f"- {facts['language']}", "configs:"]
    made = set()
    for config, suffix in (("default", ""), ("no_gold", "_no_gold")):
        splits = [name for name in PARTITIONS if f"{name}{suffix}.parquet" in files]
        if splits:
            made.add(config)
            head += [f"- config_name: {config}", *(["  default: true"] if config == "default" else [])]
            head += [f"  version: {hub_version(manifest)}", "  data_files:"]
            for split in splits:
                head += [f"  - split: {split}", f"    path: {split}{suffix}.parquet"]
    loads = ['pairs = load_dataset("FOLDER")  # pairs with a gold label'] if "default" in made else []
    loads += (
        ['undecided = load_dataset("FOLDER", "no_gold")  # pairs without one'] if "no_gold" in made else []
    )
    rows = "\n".join(f"| `{name}` | {number:,} |" for name, number in sorted(files.items()))
    return "\n".join(
        [
            *head,
            "---",
            "",
            f"# {facts['name']}",
            "",
            facts["description"] or PROTOCOLS[facts["protocol"]],
            "",
            f"Snapshot `{manifest['name']}`, sha256 `{manifest['sha256']}`.",
            "",
            "```python",
            "from datasets import load_dataset",
            "",
            *loads,
            "```",
            "",
            "| file | pairs |",
            "|---|---|",
            rows,
            "",
            f"`label` is a class: {', '.join(rule.gold_labels)}. Labels of people, in the {order}:",
            "",
            "| column | what it counts |",
            "|---|---|",
            *(f"| `{name}` | {meaning} |" for name, meaning in label_columns(manifest)),
            "",
            f"More about how it was made: [{DATASHEET}]({DATASHEET}).",
            "",
            f"Benchmark data should not be trained on unknowingly. Canary: `{canary(manifest)}`",
            "",
        ]
    )


def label_columns(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield each column with a soft label, and what it is of; those that no pair of the snapshot fills are left out."""
    found = manifest.get("answers")
    extra, left_out = (found["extra"], found.get("left_out", 0)) if found else (0, 0)
    yield "label_distribution", "`seats`: shares of the labels in `annotator_labels`, which decide"
    if extra:
        yield (
            "extra_label_counts",
            f"`extra`: the {extra:,} labels that were asked for later, beyond the seats",
        )
        yield "all_label_counts", "`all`: both together"
    if left_out:
        yield (
            "answers_left_out",
            f"answers that name several labels, and are in no column above: {left_out:,}",
        )


def hub_version(manifest: Manifest) -> str:
    """Return a version for the `datasets` library that no other snapshot has: 1, the snapshot's number, its hash.

    The library caches a folder under the folder's name and this head. Without a version it would return the data of
    another folder of the same name, or of an older snapshot in this folder.
    """
    number = manifest["name"].rpartition("@")[2]
    return f"1.{number}.{int(manifest['sha256'][:8], 16)}"
