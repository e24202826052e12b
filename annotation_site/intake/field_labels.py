"""What the page that imports pairs calls the fields of an order."""

from collection.formats.field_errors import FieldError

LABELS = {
    "corpus": "Corpus (made if it does not exist)",
    "format": "Format, or recipe",
    "columns": "Columns",
    "label_map": "Labels",
    "scheme": "Labels of a corpus to be made",
    "partition": "Partition of all pairs",
    "split": "Percent of train, dev and test",
    "genre": "Genre of pairs that name none",
    "only_genre": "Only pairs of this genre",
    "licence": "Licence",
    "seed": "Seed of names, choices and partitions",
    "open": "Open the pairs for labelling",
    "strict": "Import nothing if any line is invalid",
    "names": "Names to draw from",
    "labels": "Labels that are imported",
    "unlabelled": "Accept files without any label",
    "gather": "Each line is one person’s answer: gather them",
    "partly": "Import the rest though a class or a tenth is refused",
    "protocol": "How its pairs were made",
    "language": "Language",
    "seats": "Labels for each pair (seats)",
    "threshold": "Equal labels that make a gold label",
    "gold_rule": "How labels make the gold label",
}


def label(field: str) -> str:
    """Returns the label of a field in quotation marks."""
    return f"“{LABELS[field]}”"


def said_on_page(problem: Exception) -> str:
    """Returns an error with the labels of its fields in the place of a command's options."""
    return problem.said(label) if isinstance(problem, FieldError) else str(problem)
