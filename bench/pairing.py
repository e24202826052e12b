"""Makes scenes for pairing by machine from captions of the example scenes, so that the parser reads real sentences."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "scenes" / "scenes.jsonl"


def scenes(number: int) -> Iterator[str]:
    """Yields so many lines of a file of scenes."""
    captions = [
        caption for line in EXAMPLES.read_text().splitlines() for caption in json.loads(line)["captions"]
    ]
    dice = random.Random(number)
    for scene in range(number):
        yield json.dumps({"id": f"s{scene}", "captions": dice.sample(captions, 5)})
