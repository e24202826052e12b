"""The forms of imports and of what else makes rows: a page and a command fill the same, and a form makes the order.

Limits, choices and help of a field stand here alone. Texts of errors name other fields by words of their labels.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.validators import EMPTY_VALUES

from accounts.people.gates import viewer
from annotation_site.intake.crowd import AT_ONCE, MOST_PEOPLE, PEOPLE, REPLAYED, CrowdOrder
from annotation_site.intake.files import MAX_LICENCE, known_corpus, known_genre, readable_files
from annotation_site.intake.looks import check_columns
from annotation_site.intake.machine_pairs import PairingOrder
from annotation_site.intake.pairs import PairOrder
from annotation_site.intake.premises import PremiseOrder
from collection.corpus_schema.questions import SideQuestionPart
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine
from collection.formats.maps import FIELDS, column_map, label_map
from collection.formats.registry import FORMATS, ImportFormat
from collection.formats.sniffing import Guess, sniffed
from collection.formats.tables import any_records
from collection.imports.pair_plans import ALL, AUTHOR
from collection.imports.splits import DEFAULT, Split, split_of
from collection.models import PARTITIONS, Corpus
from collection.models.querysets import CHANGES
from collection.pairing.draw import ALL as ALL_THAT_PASS
from collection.pairing.draw import Rules as DrawRules
from collection.premises.filters.registry import DUPLICATE
from collection.premises.filters.registry import NAMES as FILTERS
from collection.premises.filters.shape import LONGEST
from collection.recasting.recipe import NAMES, Recipe, read_names
from collection.recasting.recipe_format import BadRecipe, RecastFormat, Row, recast_format, recipes
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import MOST_CHILDREN
from modeling.reports.completing import NAMES as COMPLETED
from modeling.reports.completing import SEEDS, TableOrder
from nli.gold import NEEDS_SCHEME, RULES, is_threshold, least_threshold
from nli.labels import SCHEME_CHOICES
from schemas.base import default_of
from shared.whole_numbers import LARGEST, LARGEST_SEED
from snapshots.models import Snapshot
from validation.models import Question

LOOKED_THROUGH = 2000  # rows in search of one with a pair, for a sample
MOST_SEATS = 99
MOST_OF_DOCUMENT = 300  # characters
AUTO, RECIPE = "auto", "recipe:"  # values of "how": of a recipe, before its name
ENGLISH = "en"
UTF_8 = "utf-8"


class Choice(forms.ChoiceField):
    """One of some values, or none. Its error lists them."""

    def __init__(
        self, choices: Iterable[tuple[str, str]], nothing: str = "as the format says", **options: Any
    ) -> None:
        given = list(choices)
        self.known = [key for key, _ in given]
        super().__init__(choices=[("", nothing), *given], required=False, **options)

    def validate(self, value: str) -> None:
        if value and value not in self.known:
            raise forms.ValidationError(f'it cannot be "{value}". Choose one of: {", ".join(self.known)}.')


class Whole(forms.IntegerField):
    """A whole number, or none."""

    def __init__(self, least: int, most: int = LARGEST, **options: Any) -> None:
        wrong = dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"it must be a whole number from {least:,} to {most:,}."
        )
        options = {"required": False, "error_messages": wrong, **options}
        self.least, self.most = least, most
        super().__init__(min_value=least, max_value=most, **options)


class Part(forms.FloatField):
    """A number from 0 to `most`, or none."""

    def __init__(self, most: float, **options: Any) -> None:
        wrong = dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"it must be a number from 0 to {most:g}."
        )
        super().__init__(min_value=0, max_value=most, required=False, error_messages=wrong, **options)
        self.most = most


def text(label: str, help_text: str = "", most: int | None = None) -> forms.CharField:
    wrong = {"max_length": "it is %(show_value)s characters long; write at most %(limit_value)s."}
    return forms.CharField(
        label=label, help_text=help_text, max_length=most, required=False, error_messages=wrong
    )


def switch(label: str, help_text: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, required=False)


class OrderForm(forms.Form):
    """A form that makes an order."""

    def __init__(self, data: Any = None, **options: Any) -> None:
        super().__init__(data, auto_id="%s", **options)

    def checked(self) -> dict[str, Any]:
        """Returns the values. Raises FieldError for the first that is wrong."""
        for field, problems in self.errors.items():
            raise FieldError(str(problems[0]), "" if field == NON_FIELD_ERRORS else field)
        return self.cleaned_data

    def shown(self) -> list[forms.BoundField]:
        """Returns the fields of a page."""
        return list(self)

    def offer(self, **choices: Any) -> None:
        """Gives fields the values that a page offers. What a field takes may be more."""
        for name, values in choices.items():
            self.fields[name].widget.choices = values

    def options(self) -> dict[str, Any]:
        """Returns what was filled in, as a job stores it."""
        given = self.checked()
        return {
            name: value
            for name in self.fields
            if (value := given[name]) is not False and value not in EMPTY_VALUES
        }


class ImportForm(OrderForm):
    """What to import or recast, and how. `how`: the name of a format, "auto", or "recipe:" and that of a recipe."""

    corpus = forms.RegexField(
        r"^[-a-zA-Z0-9_]{1,60}\Z",
        label="Corpus (made if it does not exist)",
        widget=forms.TextInput({"maxlength": 60}),
        error_messages={
            "invalid": "this cannot name a corpus: use at most 60 letters, digits and hyphens, such as snli-dev."
        },
    )
    how = forms.CharField(label="Format, or recipe", widget=forms.Select)
    columns = text(
        "Columns",
        "With a format: what the file’s columns are, as premise=context,hypothesis=claim,labels=r1+r2. The fields are"
        f" {', '.join(FIELDS)}.",
    )
    label_map = text(
        "Label map",
        "With a format: what the file’s labels mean, as 1=contradiction,2-4=neutral,5=entailment; nothing after = is no"
        " label.",
    )
    scheme = Choice(SCHEME_CHOICES, label="Scheme: labels of a corpus to be made")
    partition = Choice(
        [(name, name) for name in PARTITIONS],
        "as the files say",
        label="Partition of all pairs",
        help_text="With a format. A recipe draws it, or takes it from the source.",
    )
    split = text(
        "Split: percent of train, dev and test",
        f"For pairs whose file names no partition; they are drawn by group. Write {DEFAULT}, for example, or none. If you"
        f" leave it empty, the recipe decides. A format draws {DEFAULT}, or none if pairs have votes or are to be labelled.",
    )
    genre = text(
        "Genre of pairs that name none",
        "With a format. The genre of recast pairs is the recipe’s phenomenon.",
    )
    only_genre = text(
        "Only genre",
        "With a format: leaves out pairs whose line names another genre. Empty: pairs of all genres.",
    )
    licence = text("Licence", "Of the files; instead of a recipe’s own.", MAX_LICENCE)
    seed = Whole(0, LARGEST_SEED, label="Seed of names, choices and partitions", initial=0)
    open = switch(
        "Open the pairs for labelling",
        "Pairs with labels wait on the page Open pairs until you have seen there what their hypotheses give away.",
    )
    without_look = switch(
        "Open pairs though nobody has looked",
        "open imported pairs though nobody has looked at what their hypotheses give away (`bias CORPUS`)",
    )
    strict = switch("Strict: import nothing if any line is invalid")
    names = forms.CharField(
        label="Names to draw from",
        help_text="With a recipe that draws names: a file with a name on each line, or name,count.",
        required=False,
        widget=forms.Select,
    )
    labels = Choice(
        [(ALL, "all"), (AUTHOR, "only the authors’")],
        "all",
        label="Labels that are imported",
    )
    unlabelled = switch("Unlabelled: accept files without any label")
    gather = switch(
        "Gather: each line is one person’s answer",
        "Lines with the same texts and id are one pair. Name the column of people: annotators=worker.",
    )
    partly = switch("Partly: import the rest though a class or a tenth is refused")
    protocol = Choice(Corpus.Protocol.choices, label="Protocol: how its pairs were made")
    language = forms.RegexField(
        r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z",
        label="Language",
        help_text="Such as de or zh-Hant. Empty: as the format says.",
        required=False,
        widget=forms.TextInput({"maxlength": 35}),
        error_messages={"invalid": "this is not a language tag. Use one such as en, de or zh-Hant."},
    )
    seats = Whole(1, MOST_SEATS, label="Labels for each pair (seats)")
    threshold = Whole(
        1,
        MOST_SEATS,
        label="Equal labels that make a gold label (threshold)",
        help_text="More than half of the seats.",
    )
    gold_rule = Choice(
        [each for each in Question.GoldRule.choices if each[0] in RULES and each[0] not in NEEDS_SCHEME],
        label="Gold rule: how labels make the gold label",
    )

    # What a recipe takes, and what it passes over, since it is proposed for a format.
    OF_RECIPES = ("corpus", "how", "seed", "names", "split", "licence", "strict", "open", "without_look")
    PROPOSED = ("columns", "label_map", "scheme")
    OF_NEW = ("protocol", "language", "seats", "threshold", "gold_rule")
    # What a page folds, by heading; it has no `without_look`.
    FOLDED = {
        "": ("strict", "names"),
        "With a format": ("labels", "unlabelled", "gather", "partly"),
        "A corpus to be made by a format": OF_NEW,
    }

    def folded(self) -> list[tuple[str, list[forms.BoundField]]]:
        return [(heading, [self[name] for name in names]) for heading, names in self.FOLDED.items()]

    def shown(self) -> list[forms.BoundField]:
        """Returns the other fields of a page."""
        hidden = {"without_look", *(name for names in self.FOLDED.values() for name in names)}
        return [field for field in self if field.name not in hidden]

    @property
    def recipe(self) -> str:
        how: str = self.checked()["how"]
        return how.removeprefix(RECIPE) if how.startswith(RECIPE) else ""

    def clean_how(self) -> str:
        how: str = self.cleaned_data["how"]
        known = [*sorted(FORMATS), AUTO]
        if not how.startswith(RECIPE) and how not in known:
            raise forms.ValidationError(f'it cannot be "{how}". Choose one of: {", ".join(known)}.')
        return how

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if is_recipe := given.get("how", "").startswith(RECIPE):
            given.update(dict.fromkeys(self.PROPOSED, ""))
        taken = self.OF_RECIPES if is_recipe else self.fields.keys() - {"names"}
        if strange := [
            field.label for name, field in self.fields.items() if given.get(name) and name not in taken
        ]:
            named = ", ".join(f"“{label}”" for label in strange)
            raise forms.ValidationError(
                f"With a {'recipe' if is_recipe else 'format'}, leave empty: {named}."
            )
        return given

    def order(
        self,
        files: Sequence[Path],
        names: Path | None = None,
        tell: Callable[[str], None] = lambda text: None,
        *,
        recipes_in: Path | None = None,
        dry_run: bool = False,
    ) -> PairOrder:
        """Returns the order for these files. Raises FieldError, or another ValueError that says what is wrong.

        `names`: a file of names to draw from. recipes_in: a folder of recipes instead of the site's own. `tell` is called
        with the progress while a source is looked through, before the first pair.
        """
        given = self.checked()
        files = readable_files(files)
        seed = given["seed"] or 0
        shared: dict[str, Any] = {"slug": given["corpus"], "files": files, "seed": seed, "dry_run": dry_run}
        shared |= {name: given[name] for name in ("licence", "strict", "without_look")}
        if self.recipe:
            recipe = recipe_of(self.recipe, recipes_in)
            drawn = read_names(readable_files([names])[0]) if names else NAMES
            form = recast_format(recipe, files, seed=seed, names=drawn, licence=given["licence"], tell=tell)
            shares = given["split"] or recipe.partition.shares or DEFAULT
            # Where a recipe gives no label, people are to be asked.
            shared |= {"licence": given["licence"] or recipe.licence, "unlabelled": True, "partly": True}
            about = f"Recast by {form.name} from {', '.join(path.name for path in files)}: {recipe.citation}."
            return PairOrder(
                form=form, open=given["open"], split=split_of(shares, seed), about=about, **shared
            )
        take = given["labels"] or ALL
        opens = given["open"] if self.data.get("open") is not None else take == AUTHOR
        split = split_of(given["split"] or DEFAULT, seed)
        if not given["split"] and (opens or given["unlabelled"]):
            split = None  # people are to give votes, by which freezing places the pairs
        guess = self._guess(files[0])
        is_there = Corpus.objects.filter(slug=given["corpus"]).exists()
        found = guess.form.knowing(files[0])
        check_rule(given["seats"], given["threshold"], found)
        is_english = not given["language"] and found.language == ENGLISH and not is_there
        for path in files:
            are_asked = not given["split"] and not given["partition"]
            check_columns(guess.form, path, language=is_english, partitions=are_asked)
        if not is_there:
            guessed = {"scheme": guess.scheme, "protocol": guess.protocol}
            given = {**given, **{name: given[name] or value for name, value in guessed.items()}}
        same = ("scheme", *self.OF_NEW, "unlabelled", "partly", "partition", "genre", "only_genre")
        return PairOrder(
            form=replace(guess.form, tell=tell),
            read_as=guess.typed,
            take=take,
            open=opens,
            split=split,
            unless_votes=not given["split"],
            **shared,
            **{name: given[name] for name in same},
        )

    def _guess(self, path: Path) -> Guess:
        """Returns the named format, else the file's own, with the maps of the form. Raises FieldError."""
        given = self.cleaned_data
        how, columns = given["how"], column_map(given["columns"])
        labels = label_map(given["label_map"]) if given["label_map"] else None
        guess = sniffed(path) if how == AUTO else Guess(FORMATS[how], {"format": how})
        form = guess.form.mapped(columns, labels)
        return replace(guess, form=form.gathering() if given["gather"] and not form.gathers else form)


class FileForm(OrderForm):
    """What makes premises of one file, in a genre."""

    genre = forms.CharField(
        label="Genre", widget=forms.Select, help_text="One of the corpus's genres, by its short name (slug)."
    )
    licence = text("Licence of the texts", most=MAX_LICENCE)

    def place(self, corpus: str, files: Sequence[Path]) -> dict[str, Any]:
        """Returns genre and path of an order. Raises FieldError."""
        given = self.checked()
        if len(files) != 1:
            raise FieldError("Choose one file at a time." if files else "No file is chosen.")
        (path,) = readable_files(files)
        return {"genre": known_genre(known_corpus(corpus), given["genre"]), "path": path}


class PremiseForm(FileForm):
    """Which premises to import into which genre, and how."""

    document = text(
        "Document, for lines that name none",
        "Premises of one document stay in one partition.",
        MOST_OF_DOCUMENT,
    )
    split = switch("Running text: split it into sentences")
    alone = switch("Premises of one document may go into different partitions")
    encoding = text("Encoding", "Of the file, such as cp1252; default utf-8.")
    longest = Whole(1, label="Longest", help_text=f"Characters of a sentence; default {LONGEST}.")
    without = forms.MultipleChoiceField(
        label="Without",
        help_text=f"Leave a filter out; may stand several times. The filters: {', '.join(FILTERS[1:])}.",
        choices=[(name, name) for name in FILTERS if name != DUPLICATE.name],
        required=False,
    )

    def shown(self) -> list[forms.BoundField]:
        """Returns the fields of a page."""
        return [self[name] for name in ("genre", "licence", "document", "encoding", "split", "alone")]

    def clean_encoding(self) -> str:
        """Returns the encoding's usual name; "" if none is named."""
        name = self.cleaned_data["encoding"]
        try:
            "".encode(name or UTF_8)
            return name and codecs.lookup(name).name
        except LookupError:
            raise forms.ValidationError(
                f'there is no encoding "{name}". Often it is utf-8, utf-16, cp1252 (Windows) or latin-1.'
            ) from None

    def order(self, corpus: str, files: Sequence[Path]) -> PremiseOrder:
        """Returns the order for a file. Raises FieldError."""
        given = {**self.checked(), **self.place(corpus, files)}
        given |= {"longest": given["longest"] or LONGEST, "encoding": given["encoding"] or UTF_8}
        return PremiseOrder(**given)


class SceneForm(FileForm):
    """Which scenes to pair by machine in which genre, and how."""

    seed = Whole(0, LARGEST_SEED, label="Seed of all draws", help_text="Default 0.")
    each = Whole(
        1,
        label="Hypotheses from each of the two captions",
        help_text="Default 1; all, where a number of pairs to draw is given.",
    )
    draw = text(
        "Pairs to draw of all that pass",
        "A number, such as 500; or for scenes with partitions train=8000,dev=1000,test=1000.",
    )
    overlap = Part(
        1,
        label="Overlap",
        help_text="The most of a hypothesis, without stop words, that its premise may contain; default 0.5.",
    )
    captions = Whole(
        1, label="Captions of the file that must simplify to a hypothesis", help_text="Default 2."
    )

    def order(self, corpus: str, files: Sequence[Path], *, dry_run: bool = False) -> PairingOrder:
        """Returns the order for a file. Raises FieldError, also if the corpus is not for pairs by machine."""
        _check_for_pairing(known_corpus(corpus))
        given, place = self.checked(), self.place(corpus, files)
        overlap = DrawRules.overlap if given["overlap"] is None else given["overlap"]
        draw = _numbers(given["draw"])
        rules = DrawRules(
            given["seed"] or 0,
            given["each"] or (ALL_THAT_PASS if draw else DrawRules.each),
            overlap,
            given["captions"] or DrawRules.captions,
            draw,
        )
        return PairingOrder(**place, rules=rules, licence=given["licence"], dry_run=dry_run)


def _numbers(draw: str) -> dict[str, int]:
    """Reads `500`, or `train=8000,dev=1000`, as numbers by partition. Raises FieldError."""
    found: dict[str, int] = {}
    for each in filter(None, draw.split(",")):
        name, _, number = each.rpartition("=")
        name, known = name.strip(), ("",) if "=" not in draw else PARTITIONS
        if not re.fullmatch(r"\s*[1-9][0-9]{0,8}\s*", number, re.ASCII) or name not in known or name in found:
            raise FieldError(
                f'"{draw}" is no number of pairs: write one such as 500, or one of each partition, such as'
                " train=8000,dev=1000,test=1000.",
                "draw",
            )
        found[name] = int(number)
    return found


def _check_for_pairing(corpus: Corpus) -> None:
    if corpus.protocol != Corpus.Protocol.JUDGED:
        raise FieldError(
            f'{corpus.slug} has the protocol "{corpus.protocol}". Machine-made pairs need a corpus whose'
            ' file says protocol = "judged".'
        )
    if corpus.language.split("-")[0].lower() != ENGLISH:
        raise FieldError(
            f'{corpus.slug} is in "{corpus.language}". The rules that simplify captions are for English only.'
        )


class CrowdForm(OrderForm):
    """How many simulated people work in a corpus, and at what."""

    annotators = Whole(1, MOST_PEOPLE, label="Simulated annotators", help_text=f"Default {PEOPLE}.")
    at_once = Whole(1, 1000, label="How many work at one time", help_text=f"Default {AT_ONCE}.")
    write = switch("Write for open premises first")
    texts = Whole(
        1,
        label="Premises that each person writes for, at most",
        help_text="Empty: until none is left. Arms that are drawn by writer want people who stop.",
    )
    arms = text(
        "A planted difference between arms",
        "How many of a hundred hypotheses of each arm tell their label by themselves: base=50,edit=45. Arms that are not"
        " named tell it as often as chance does.",
    )
    seed = Whole(0, LARGEST_SEED, label="Seed of chance", help_text="Default 0.")
    format = Choice(
        [(name, name) for name in sorted(FORMATS)],
        REPLAYED,
        label="Format of a file whose labels are cast",
        help_text=f"Default {REPLAYED}.",
    )

    def order(self, corpus: str, files: Sequence[Path] = ()) -> CrowdOrder:
        """Returns the order. files: their labels, without the authors', are cast. Raises FieldError."""
        given = self.checked()
        return CrowdOrder(
            corpus=known_corpus(corpus),
            annotators=given["annotators"] or PEOPLE,
            at_once=given["at_once"] or AT_ONCE,
            write=given["write"],
            texts=given["texts"],
            arms=_planted(given["arms"]),
            seed=given["seed"] or 0,
            replay=readable_files(files),
            format=given["format"] or REPLAYED,
        )


def _planted(given: str) -> dict[str, int]:
    """Reads `base=50,edit=45`. Raises FieldError."""
    found = re.findall(r"([^=,\s]+)\s*=\s*(\d{1,3})\s*(?:,|$)", given)
    if len(found) != len(given.split(",")) and given.strip():
        raise FieldError(f'"{given}" cannot be read; write base=50,edit=45, for example.', "arms")
    return {arm: int(share) for arm, share in found}


class TableForm(OrderForm):
    """Which table of which snapshots to complete with runs and scores."""

    table = Choice([(name, name) for name in COMPLETED], label="Table")
    snapshots = text("Snapshots", "Their names, one after the other.")
    preset = Choice([(name, name) for name in PRESETS], "any settings", label="Preset")
    key = text("Key of the metadata")
    partition = Choice([(name, name) for name in PARTITIONS], "test", label="Partition")
    seeds = Whole(1, MOST_CHILDREN, label="Seeds of each run", help_text=f"From 1 on; default {SEEDS}.")

    def order(self, corpus: str, files: Sequence[Path] = ()) -> TableOrder:
        """Returns the order. Raises FieldError."""
        given, frozen = self.checked(), Snapshot.objects.of(viewer(), CHANGES).frozen()
        found = [frozen.named(name).first() for name in given["snapshots"].split()]
        snapshots = [each for each in found if each is not None]
        if not given["table"] or not snapshots or len(snapshots) < len(found):
            raise FieldError("Name a table, and snapshots that are frozen.")
        return TableOrder(
            given["table"],
            snapshots,
            given["preset"],
            given["key"],
            given["seeds"] or SEEDS,
            partition=given["partition"] or "test",
        )


def check_rule(seats: int | None, threshold: int | None, form: ImportFormat) -> None:
    for name, own in form.partitions.items():
        if seats is not None and own["seats"] > seats:
            raise FieldError(
                f"{seats} is fewer than the {own['seats']} seats that the file names for {name}. Leave it out.",
                "seats",
            )
    if seats is None and threshold is None:
        return
    there = (form.seats or default_of(SideQuestionPart, "seats")) if seats is None else seats
    needed = least_threshold(there) if threshold is None else threshold
    if not is_threshold(needed, there):
        raise FieldError(
            f"{needed} does not fit {there} seats: it must be more than half of the seats and at most all of them.",
            "threshold",
        )


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
        raise FieldError(f"{there} {problem}".rstrip())
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


def said_on_page(problem: Exception) -> str:
    """Returns an error with the label of its field."""
    fields = {
        name: field
        for form in (TableForm, CrowdForm, SceneForm, PremiseForm, ImportForm)
        for name, field in form.base_fields.items()
    }
    field = getattr(problem, "field", "")
    return f"“{fields[field].label}”: {problem}" if field else str(problem)
