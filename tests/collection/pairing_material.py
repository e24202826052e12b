"""Captions parsed once for all tests of pairing, and our own example scenes."""

from functools import cache
from pathlib import Path

from collection.pairing.captions import Caption, read_captions
from collection.pairing.scenes import Scene, read_scenes
from collection.pairing.simplify import simplifications
from collection.pairing.wordnet import load_nouns

SCENES = Path(__file__).resolve().parents[2] / "examples" / "scenes" / "scenes.jsonl"


@cache
def caption(text: str) -> Caption:
    (found,) = read_captions([text], load_nouns())
    return found


@cache
def example_scenes() -> tuple[Scene, ...]:
    return tuple(scene for scene in read_scenes(SCENES) if isinstance(scene, Scene))


def made_of(text: str, *rules: str) -> set[str]:
    """Returns the sentences that the rules make of a caption; with names, those made by exactly these rules."""
    return {
        each.text for each in simplifications(caption(text)) if not rules or set(each.rules) == set(rules)
    }
