"""Sentences of reviews that are positive or negative (Kotzias et al. 2015)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.recasting import Draw, Item, Partition, Recipe, Unreadable
from collection.recasting.readers import tabbed_records, value

ANSWERS = {"1": "positive", "0": "negative"}
ITEMS = {"amazon": "product", "imdb": "movie", "yelp": "restaurant"}


def read(path: Path) -> Iterator[Record | BadLine]:
    for item in tabbed_records(path, "review", "sentiment"):
        yield (
            item if isinstance(item, BadLine) else (item[0], {**item[1], "file": path.name, "line": item[0]})
        )


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    review, answer = value(row, "review"), ANSWERS.get(value(row, "sentiment"))
    if answer is None:
        raise Unreadable("the second column must be 1 (positive) or 0 (negative)")
    about = ITEMS.get(row["file"].partition("_")[0])
    if about is None:
        raise Unreadable(
            f"{row['file']} does not say what is reviewed: its name must begin with {', '.join(ITEMS)}"
        )
    values = {"item": about, "review": review, "name": draw.name}
    yield Item(values, answer, source_id=f"{row['file']} {row['line']}")


SENTIMENT = Recipe(
    name="sentiment",
    about="reviews of products, movies and restaurants: amazon_cells_labelled.txt, imdb_..., yelp_...",
    corpus="Kotzias et. al. 2015",
    phenomenon="Sentiment",
    citation="Kotzias et al. 2015, From group to individual labels using deep features (KDD)",
    licence="",
    read=read,
    items=items,
    context="When asked about the {item}, {name} said, '{review}'.",
    # The same words in another review stay in the same partition.
    partition=Partition(together="review {review}"),
    hypotheses={"positive": "{name} liked the {item}.", "negative": "{name} did not like the {item}."},
)
