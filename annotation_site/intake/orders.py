"""Turns the options of an import or a recasting, from a command or a page, into an order.

An invalid option raises a CommandError or a ValueError, whose text is for people. LABELS are what the page calls the
options.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import MaxLengthValidator, validate_slug

from annotation_site.intake.files import OrderError, readable_files, short_licence
from annotation_site.intake.looks import check_columns
from annotation_site.intake.pairs import PairOrder
from collection.corpus_schema.questions import SideQuestionPart
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine
from collection.formats.maps import column_map, label_map
from collection.formats.registry import FORMATS, ImportFormat
from collection.formats.sniffing import Guess, sniffed
from collection.formats.tables import any_records
from collection.imports.pair_plans import ALL, AUTHOR
from collection.imports.splits import DEFAULT, Split, split_of
from collection.models import PARTITIONS, Corpus
from collection.recasting.recipe import NAMES, Recipe, read_names
from collection.recasting.recipe_format import BadRecipe, RecastFormat, Row, recast_format, recipes
from nli.gold import NEEDS_SCHEME, RULES, is_threshold, least_threshold
from nli.labels import SCHEMES
from schemas.base import default_of

LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MOST_SEATS = 99
LOOKED_THROUGH = 2000  # rows in search of one with a pair, for a sample
AUTO = "auto"
ENGLISH = "en"
# The values of an option, where it is given.
CHOICES: dict[str, Sequence[str]] = {
    "format": [*sorted(FORMATS), AUTO],
    "partition": PARTITIONS,
    "labels": (ALL, AUTHOR),
    "scheme": sorted(SCHEMES),
    "protocol": Corpus.Protocol.values,
    "gold_rule": [rule for rule in RULES if rule not in NEEDS_SCHEME],
}
# What a command takes where an option is not given.
IMPORT_OPTIONS: dict[str, Any] = {
    "columns": [],
    "label_map": "",
    "partition": "",
    "split": "",
    "labels": ALL,
    "genre": "",
    "only_genre": "",
    "seed": 0,
    "strict": False,
    "open": None,
    "without_look": False,
    "scheme": "",
    "protocol": "",
    "licence": "",
    "language": "",
    "seats": None,
    "threshold": None,
    "gold_rule": "",
    "unlabelled": False,
    "gather": False,
    "partly": False,
    "dry_run": False,
}
RECAST_OPTIONS: dict[str, Any] = {
    "recipes": None,
    "seed": 0,
    "names": None,
    "split": "",  # the recipe's shares
    "licence": "",
    "strict": False,
    "open": False,
    "without_look": False,
}


def form_of(options: dict[str, Any], path: Path) -> Guess:
    """Return the named format, else the file's own, with the maps of the options. Raises BadMap."""
    given = options["columns"]
    columns = column_map(given if isinstance(given, str) else ",".join(given))
    labels = label_map(options["label_map"]) if options["label_map"] else None
    named = options["format"]
    guess = sniffed(path) if named == AUTO else Guess(FORMATS[named], {"format": named})
    form = guess.form.mapped(columns, labels)
    return replace(guess, form=form.gathering() if options["gather"] and not form.gathers else form)


def check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
        MaxLengthValidator(60)(slug)
    except ValidationError:
        raise CommandError(
            f'"{slug}" cannot name a corpus: use at most 60 letters, digits and hyphens, such as snli-dev.'
        ) from None


def order_of(options: dict[str, Any], tell: Callable[[str], None] = lambda text: None) -> PairOrder:
    """Reads the options. Raises CommandError, FieldError. `tell`: as of `recast_order`."""
    check_slug(options["corpus"])
    for name, known in CHOICES.items():
        if (given := options[name]) and given not in known:
            raise OrderError(f'{{{name}}} cannot be "{{0}}". Choose one of: {{1}}.', given, ", ".join(known))
    split = split_of(options["split"] or DEFAULT, options["seed"])
    opens = options["labels"] == AUTHOR if options["open"] is None else options["open"]
    if not options["split"] and (opens or options["unlabelled"]):
        split = None  # people are to give votes, by which freezing places the pairs
    if options["language"] and not LANGUAGE.fullmatch(options["language"]):
        raise OrderError(
            "{language} {0} is not a language tag. Use one such as en, de or zh-Hant.", options["language"]
        )
    files = readable_files(options["files"])
    guess = form_of(options, files[0])
    form = guess.form.knowing(files[0])
    check_rule(options["seats"], options["threshold"], form)
    is_english = not options["language"] and form.language == ENGLISH and not exists(options["corpus"])
    for path in files:
        are_asked = not options["split"] and not options["partition"]
        check_columns(guess.form, path, language=is_english, partitions=are_asked)
    return PairOrder(
        slug=options["corpus"],
        form=replace(guess.form, tell=tell),
        files=files,
        scheme=options["scheme"] or scheme_of(guess, options["corpus"]),
        read_as=guess.typed,
        dry_run=options["dry_run"],
        protocol=options["protocol"],
        licence=short_licence(options["licence"]),
        language=options["language"],
        seats=options["seats"],
        threshold=options["threshold"],
        gold_rule=options["gold_rule"],
        unlabelled=options["unlabelled"],
        partly=options["partly"],
        genre=options["genre"],
        only_genre=options["only_genre"],
        partition=options["partition"],
        take=options["labels"],
        strict=options["strict"],
        open=opens,
        without_look=options["without_look"],
        seed=options["seed"],
        split=split,
        unless_votes=not options["split"],
    )


def scheme_of(guess: Guess, slug: str) -> str:
    """Return the scheme of a guessed map, for a corpus that does not exist yet."""
    return "" if exists(slug) else guess.scheme


def exists(slug: str) -> bool:
    return Corpus.objects.filter(slug=slug).exists()


def check_rule(seats: int | None, threshold: int | None, form: ImportFormat) -> None:
    for name, (own, _) in form.partitions.items():
        if seats is not None and own > seats:
            raise OrderError(
                "{seats} {0} is fewer than the {1} seats that the file names for {2}. Leave it out.",
                *(seats, own, name),
            )
    if seats is None and threshold is None:
        return
    there = (form.seats or default_of(SideQuestionPart, "seats")) if seats is None else seats
    needed = least_threshold(there) if threshold is None else threshold
    if not is_threshold(needed, there) or there > MOST_SEATS:
        raise OrderError(
            "{threshold} {0} does not fit {seats} {1}: it must be more than half of the seats and at most all of them."
            " There can be up to {2} seats.",
            *(needed, there, MOST_SEATS),
        )


def recast_order(
    options: dict[str, Any], tell: Callable[[str], None] = lambda text: None
) -> tuple[RecastFormat, PairOrder]:
    """Reads the options. Raises CommandError, or ValueError that says which option is invalid.

    `tell` is called with the progress while a source is looked through, before the first pair.
    """
    check_slug(options["corpus"])
    recipe = recipe_of(options["recipe"], options["recipes"])
    files = readable_files(options["files"])
    names = read_names(readable_files([options["names"]])[0]) if options["names"] else NAMES
    licence = short_licence(options["licence"])
    form = recast_format(recipe, files, seed=options["seed"], names=names, licence=licence, tell=tell)
    order = PairOrder(
        slug=options["corpus"],
        form=form,
        files=files,
        licence=licence or recipe.licence,
        unlabelled=True,  # where a recipe gives no label, people are to be asked
        partly=True,
        strict=options["strict"],
        open=options["open"],
        without_look=options["without_look"],
        seed=options["seed"],
        split=split_of(options["split"] or recipe.partition.shares or DEFAULT, options["seed"]),
        about=f"Recast by {form.name} from {', '.join(path.name for path in files)}: {recipe.citation}.",
    )
    return form, order


def offered_recipes() -> tuple[dict[str, Recipe], str]:
    """Returns the recipes that this site offers, and an error if recipes of its own folder cannot be read."""
    try:
        return recipes(settings.RECIPES_FOLDER), ""
    except BadRecipe as problem:
        return recipes(), str(problem)


def recipe_of(name: str, folder: Path | None) -> Recipe:
    """Returns a recipe of Quintet, or of `folder`, which is the site's own where none is named."""
    known, problem = (recipes(folder), "") if folder else offered_recipes()
    if name not in known:
        there = f'There is no recipe "{name}"; the recipes are: {", ".join(sorted(known))}.'
        raise CommandError(f"{there} {problem}".rstrip())
    return known[name]


def samples(order: PairOrder, number: int) -> list[dict[str, Any]]:
    """Returns the first rows of each file with the resulting pairs; if there are none, also the first row with a pair."""
    found: list[dict[str, Any]] = []
    for path in order.files if number > 0 else ():
        rows = _sampled(order, path)
        first = list(islice(rows, number))
        found += first
        if not any(each["pairs"] for each in first):
            found += islice((each for each in islice(rows, LOOKED_THROUGH) if each["pairs"]), 1)
    return found


def _sampled(order: PairOrder, path: Path) -> Iterator[dict[str, Any]]:
    if isinstance(order.form, RecastFormat):
        for row in order.form.rows(path):
            yield sample_of(path.name, row, order.split)
        return
    try:
        records = dict(item for item in islice(any_records(path), 100) if not isinstance(item, BadLine))
    except (ValueError, OSError):
        records = {}
    for item in order.form.read(path):
        record = records.get(item.line, {})
        if isinstance(item, BadLine):
            row = Row(item.line, record, refused=item)
        elif order.wants(item):
            row = Row(item.line, record, pairs=(order.placed(item),))
        else:
            row = Row(item.line, record, passed_over=f"its genre is {item.genre or 'not named'}")
        yield sample_of(path.name, row, None)


def sample_of(file: str, row: Row, split: Split | None) -> dict[str, Any]:
    placed = [split.placed(pair) if split else pair for pair in row.pairs]
    return {
        "file": file,
        "line": row.line,
        "row": {key: str(value) for key, value in row.record.items()},
        "refused": row.refused.reason if row.refused else "",
        "passed_over": row.passed_over,
        "pairs": [
            {
                "context": " ".join(pair.premise),
                "hypothesis": pair.hypothesis,
                "label": pair.published_label or ", ".join(filter(None, pair.labels)),
                "partition": pair.partition,
            }
            for pair in placed
        ],
    }


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
