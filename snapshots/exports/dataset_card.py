"""Write the dataset card of a data hub: README.md with the configurations that `datasets` reads."""

import json
from collections.abc import Mapping

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
    for config, suffix in (("default", ""), ("no_gold", "_no_gold")):
        splits = [name for name in PARTITIONS if f"{name}{suffix}.parquet" in files]
        if splits:
            head += [f"- config_name: {config}", *(["  default: true"] if config == "default" else [])]
            head += [f"  version: {hub_version(manifest)}", "  data_files:"]
            for split in splits:
                head += [f"  - split: {split}", f"    path: {split}{suffix}.parquet"]
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
            'pairs = load_dataset("FOLDER")             # pairs with a gold label',
            'undecided = load_dataset("FOLDER", "no_gold")  # pairs without one',
            "```",
            "",
            "| file | pairs |",
            "|---|---|",
            rows,
            "",
            f"`label` is a class: {', '.join(rule.gold_labels)}. `label_distribution` has the shares of the votes",
            f"in the {order}.",
            f"More about how it was made: [{DATASHEET}]({DATASHEET}).",
            "",
            f"Benchmark data should not be trained on unknowingly. Canary: `{canary(manifest)}`",
            "",
        ]
    )


def hub_version(manifest: Manifest) -> str:
    """Return a version for the `datasets` library that no other snapshot has: 1, the snapshot's number, its hash.

    The library caches a folder under the folder's name and this head. Without a version it would return the data of
    another folder of the same name, or of an older snapshot in this folder.
    """
    number = manifest["name"].rpartition("@")[2]
    return f"1.{number}.{int(manifest['sha256'][:8], 16)}"
