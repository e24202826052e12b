"""Corpora, prompts with their versions, genres: what a corpus file describes."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import get_language, gettext

from accounts.models import ConsentForm, Qualification
from collection.answering import FrozenRun
from collection.corpus_schema import MODEL, MODES, WRITE, CorpusPart, GenrePart, PromptPart
from collection.models.querysets import (
    CorpusQuerySet,
    CorpusTextQuerySet,
    GenreQuerySet,
    PromptQuerySet,
    PromptVersionQuerySet,
)
from nli.labels import PLAIN_WORDS, SCHEME_CHOICES, SCHEMES
from schemas.base import default_of
from shared.constraints import check, unique
from shared.sequential import SPENDING

# Corpus -> its question, and label -> wording in the order of pages. Validation, which has the questions, adds the main one.
WORDINGS: list[Callable[["Corpus"], tuple[str, dict[str, str], dict[str, str]]]] = []


class Corpus(models.Model):
    """One corpus, with the settings that its file states."""

    class Protocol(models.TextChoices):
        ELICITED = "elicited", "elicited: a person wrote the hypothesis for a label"
        JUDGED = "judged", "judged: paired by machine, labelled by people"
        RECAST = "recast", "recast: made from another task's annotation"

    class LanguageModels(models.TextChoices):
        FORBIDDEN = "forbidden", "forbidden: people write by themselves"
        DECLARED = "declared", "declared: allowed where the writer says so"
        ALLOWED = "allowed"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown")
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES, default=default_of(CorpusPart, "scheme"))
    protocol = models.CharField(
        max_length=10, choices=Protocol.choices, default=default_of(CorpusPart, "protocol")
    )
    language = models.CharField(
        max_length=35, default=default_of(CorpusPart, "language"), help_text="BCP 47, such as en or ar"
    )
    licence = models.CharField(max_length=100, blank=True)
    made_for_demo = models.BooleanField(default=default_of(CorpusPart, "made_for_demo"))
    consent_form = models.ForeignKey(ConsentForm, on_delete=models.PROTECT, null=True, blank=True)
    writers_per_premise = models.PositiveSmallIntegerField(
        default=default_of(CorpusPart, "writers_per_premise")
    )
    min_hypothesis_chars = models.PositiveSmallIntegerField(
        default=default_of(CorpusPart, "min_hypothesis_chars")
    )
    max_hypothesis_chars = models.PositiveSmallIntegerField(
        default=default_of(CorpusPart, "max_hypothesis_chars")
    )
    writing_qualification = models.ForeignKey(
        Qualification,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text="who may write; empty: everybody who may sign in",
    )
    sign_up = models.BooleanField(
        default=default_of(CorpusPart, "sign_up"), help_text="whether people make accounts by themselves"
    )
    payment = models.TextField(blank=True, help_text="Markdown: when and how people get their money")
    hourly_floor_cents = models.PositiveIntegerField(
        default=default_of(CorpusPart, "hourly_floor_cents"),
        help_text="lowest hourly pay that the researchers promise; 0: none",
    )
    platform_fee_percent = models.FloatField(
        default=default_of(CorpusPart, "platform_fee_percent"),
        help_text="what the platform takes on top of pay",
    )
    language_models = models.CharField(
        max_length=9, choices=LanguageModels.choices, default=default_of(CorpusPart, "language_models")
    )
    max_tasks_per_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="premises that one writer is given a day; empty: no limit"
    )
    max_genre_share = models.PositiveSmallIntegerField(
        default=default_of(CorpusPart, "max_genre_share"),
        help_text="percent of a genre's seats that one writer may fill",
    )
    pause_after_reports = models.PositiveSmallIntegerField(
        default=default_of(CorpusPart, "pause_after_reports"),
        help_text="unanswered reports that pause a premise; 0: never",
    )
    dev_pairs_per_genre = models.PositiveIntegerField(default=default_of(CorpusPart, "dev_pairs_per_genre"))
    test_pairs_per_genre = models.PositiveIntegerField(default=default_of(CorpusPart, "test_pairs_per_genre"))
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="since when nobody gets new work"
    )
    archived_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="since when it is out of the list of corpora"
    )

    objects = CorpusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "corpora"
        constraints = [
            check("scheme_is_known", Q(scheme__in=list(SCHEMES))),
            check("protocol_is_known", Q(protocol__in=["elicited", "judged", "recast"])),
            check(
                "hypothesis_limits_make_sense",
                Q(min_hypothesis_chars__gte=1) & Q(max_hypothesis_chars__gte=F("min_hypothesis_chars")),
            ),
            check(
                "language_model_policy_is_known", Q(language_models__in=["forbidden", "declared", "allowed"])
            ),
            check("genre_share_is_a_share", Q(max_genre_share__gte=1, max_genre_share__lte=100)),
            check("archived_corpus_is_paused", Q(archived_at=None) | Q(paused_at__isnull=False)),
            check("daily_cap_allows_some_work", Q(max_tasks_per_day=None) | Q(max_tasks_per_day__gte=1)),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def labels(self) -> tuple[str, ...]:
        return SCHEMES[self.scheme]

    @cached_property
    def answer_words(self) -> dict[str, str]:
        """Returns label -> its wording on all pages for annotators, in the order of these pages.

        It is the wording of the main question, so that writers and validators read the same one.
        """
        words = self._main_wording[1]
        if set(words) == set(self.labels):
            return words
        return {label: f"It {PLAIN_WORDS[label]}" for label in self.labels}

    @property
    def answer_helps(self) -> dict[str, str]:
        """Returns label -> what the corpus file says about when it is right; none where it says nothing."""
        return self._main_wording[2]

    @property
    def asked(self) -> str:
        """Returns the question about a pair, as all pages for annotators ask it: the wording of the main question."""
        return self._main_wording[0] or gettext("If the text is true, what can you say about the sentence?")

    @cached_property
    def _main_wording(self) -> tuple[str, dict[str, str], dict[str, str]]:
        asked, words, helps = next((worded(self) for worded in WORDINGS), ("", {}, {}))
        words, helps = ({label: self.say(text) for label, text in each.items()} for each in (words, helps))
        return self.say(asked), words, helps

    def say(self, text: str) -> str:
        """Returns a text of the corpus in the reader's language; as it is where its file has no translation."""
        return self._translated.get(text, text)

    @cached_property
    def _translated(self) -> dict[str, str]:
        reader, own = (get_language() or "").lower(), self.language.lower()
        tags = [reader, reader.partition("-")[0]]
        if own in tags or own.partition("-")[0] == reader:
            return {}
        found = {each.language.lower(): each.texts for each in self.translations.filter(language__in=tags)}
        return next((found[tag] for tag in tags if tag in found), {})

    def in_order(self, rows: Iterable[Any]) -> list[Any]:
        """Returns rows with a `label` in the order of `answer_words`."""
        places = {label: place for place, label in enumerate(self.answer_words)}
        return sorted(rows, key=lambda row: places.get(row.label, len(places)))


class Preregistration(models.Model):
    """What the researchers said before the first task: arms, measures, tests, when they stop. Never changed."""

    corpus = models.OneToOneField(Corpus, on_delete=models.PROTECT, related_name="preregistration")
    text = models.TextField(help_text="Markdown")
    sha256 = models.CharField(max_length=64, editable=False)
    registered_at = models.DateTimeField(auto_now_add=True)
    registered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    spending = models.CharField(
        max_length=14,
        blank=True,
        default="",
        db_default="",
        choices=[(name, name) for name in SPENDING],
        help_text="how the looks at the arms share the error rate; empty: one look, at the end",
    )
    planned_pairs = models.PositiveIntegerField(null=True, blank=True, help_text="in each arm, at the end")
    comparisons = models.PositiveSmallIntegerField(null=True, blank=True, help_text="of two arms each")

    class Meta:
        constraints = [
            check("preregistration_says_something", ~Q(text="")),
            check(
                "plan_of_looks_is_whole",
                Q(spending="", planned_pairs=None, comparisons=None)
                | Q(
                    spending__in=tuple(SPENDING),
                    planned_pairs__isnull=False,
                    planned_pairs__gt=0,
                    comparisons__isnull=False,
                    comparisons__gt=0,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"preregistration of {self.corpus}"


class Look(models.Model):
    """A look at the arms of a corpus whose researchers planned looks. Rows are added, never changed: each spends error."""

    preregistration = models.ForeignKey(Preregistration, on_delete=models.PROTECT, related_name="looks")
    number = models.PositiveSmallIntegerField()
    made_at = models.DateTimeField(auto_now_add=True)
    is_last = models.BooleanField(help_text="whether the corpus was over, so that it spent all that was left")
    compared = models.JSONField(help_text="the comparisons, with what this look says of each")

    class Meta:
        ordering = ["number"]
        constraints = [
            unique("look_of_a_number", "preregistration", "number"),
            check("looks_count_from_one", Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"look {self.number}"


class AdviceSetting(models.Model):
    """The level of one kind of advice. Kinds without a row have the level in `collection.advice`."""

    class Level(models.TextChoices):
        OFF = "off"
        WARN = "warn", "warn: say it, and accept the text"
        REFUSE = "refuse", "refuse: ask for another text"

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="advice_settings")
    advice = models.CharField(max_length=30)
    level = models.CharField(max_length=6, choices=Level.choices)

    class Meta:
        constraints = [
            unique("one_setting_an_advice", "corpus", "advice"),
            check("advice_level_is_known", Q(level__in=["off", "warn", "refuse"])),
        ]


class Prompt(models.Model):
    """The instructions for a group of genres. The text is in its versions.

    A prompt may have arms: prompts that stand in its place for some writers or premises (`ArmDraw`), drawn by their shares.
    It is itself the first of its arms.
    """

    class DrawnBy(models.TextChoices):
        WRITER = "writer", "writer: everybody writes under one arm"
        PREMISE = "premise", "premise: everybody writes under all arms"

    class Status(models.TextChoices):
        OPEN = "open"
        PILOT = "pilot", "pilot: for chosen writers, whose texts stay out of the corpus"
        CLOSED = "closed", "closed: nobody writes"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="prompts")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    status = models.CharField(max_length=6, choices=Status.choices, default=default_of(PromptPart, "status"))
    arm_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="arms")
    share = models.PositiveSmallIntegerField(
        default=default_of(PromptPart, "share"),
        db_default=1,
        help_text="how many tasks for one of an arm with the share 1",
    )
    drawn_by = models.CharField(
        max_length=7, choices=DrawnBy.choices, default=default_of(PromptPart, "drawn_by"), db_default="writer"
    )
    drawn_by_genre = models.BooleanField(
        default=default_of(PromptPart, "drawn_by_genre"),
        db_default=False,
        help_text="arms are balanced within each genre",
    )

    review_percent = models.PositiveSmallIntegerField(
        default=default_of(PromptPart, "review_percent"),
        db_default=0,
        help_text="how many percent of the sentences are drawn for review",
    )

    objects = PromptQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("prompt_slug_unique_in_corpus", "corpus", "slug"),
            check("prompt_status_is_known", Q(status__in=["open", "pilot", "closed"])),
            check("prompt_is_no_arm_of_itself", Q(arm_of=None) | ~Q(arm_of=F("id"))),
            check("arm_has_a_share", Q(share__gte=1)),
            check("arms_are_drawn_by_something", Q(drawn_by__in=["writer", "premise"])),
            check("arm_is_not_piloted_alone", Q(arm_of=None) | ~Q(status="pilot")),
            check("share_for_review_is_a_share", Q(review_percent__lte=100)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def root(self) -> "Prompt":
        """Returns the prompt whose arm this is: the one that genres name, and whose name writers read."""
        return self.arm_of or self

    def note_change(self, *, is_other_arm: bool = False) -> None:
        """Adds state and share to the history, where they differ from its last row, or where it became an arm."""
        last = self.history.order_by("-pk").values_list("status", "share").first()
        if is_other_arm or last != (self.status, self.share):
            self.history.create(status=self.status, share=self.share)


class PromptChange(models.Model):
    """The state and the share that a prompt got at a time. Rows are added, never changed."""

    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="history")
    status = models.CharField(max_length=6, choices=Prompt.Status.choices)
    share = models.PositiveSmallIntegerField()
    changed_at = models.DateTimeField(auto_now_add=True)


class PromptVersion(models.Model):
    """One version of a prompt. Never edited once somebody wrote under it: a change makes a new version."""

    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    instructions = models.TextField(help_text="Markdown")
    pay_cents = models.PositiveIntegerField(
        default=default_of(PromptPart, "pay_cents"), help_text="for the three hypotheses of one premise"
    )
    seconds = models.PositiveIntegerField(
        default=default_of(PromptPart, "seconds"), help_text="expected time for one premise"
    )
    care = models.TextField(
        blank=True, help_text="Markdown; shown above every premise where texts may be upsetting"
    )
    skip_pay_cents = models.PositiveIntegerField(
        default=default_of(PromptPart, "skip_pay_cents"),
        help_text="for a premise skipped because it is upsetting",
    )
    paid_skips_per_day = models.PositiveSmallIntegerField(
        default=default_of(PromptPart, "paid_skips_per_day")
    )
    reading_pay_cents = models.PositiveIntegerField(
        default=default_of(PromptPart, "reading_pay_cents"),
        help_text="once for reading the instructions and passing their check",
    )
    differs = models.TextField(
        blank=True, help_text="Markdown; what those read who know another prompt of the corpus"
    )
    mode = models.CharField(
        max_length=8,
        choices=[(name, name) for name in MODES],
        default=default_of(PromptPart, "mode"),
        db_default=WRITE,
    )
    avoid = models.CharField(
        max_length=1000, blank=True, default="", db_default="", help_text="words that no sentence may have"
    )
    coach = models.BooleanField(
        default=False, db_default=False, help_text="whether words that give the answer away are named"
    )
    run = models.PositiveIntegerField(
        default=0, db_default=0, help_text="the number of the run that answers; 0: none"
    )
    twin = models.PositiveIntegerField(default=0, db_default=0, help_text="its hypothesis-only twin")
    run_sha256 = models.CharField(max_length=64, blank=True, db_default="", editable=False)
    twin_sha256 = models.CharField(max_length=64, blank=True, db_default="", editable=False)
    run_name = models.CharField(
        max_length=200, blank=True, db_default="", editable=False, help_text="its network and its snapshot"
    )
    bonus_cents = models.PositiveIntegerField(
        default=default_of(PromptPart, "bonus_cents"),
        db_default=0,
        help_text="for a sentence that the run answered wrongly and two validators upheld",
    )
    feedback = models.BooleanField(
        default=False, db_default=False, help_text="whether writers read what is said of their sentences"
    )
    digest = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PromptVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("prompt_version_unique", "prompt", "number"),
            check("way_of_writing_is_known", Q(mode__in=MODES)),
            check(
                "run_that_answers_is_frozen",
                Q(run=0, twin=0, run_sha256="", twin_sha256="")
                | (Q(run__gte=1, twin__gte=1) & ~Q(run_sha256="") & ~Q(twin_sha256="")),
            ),
            check("model_in_the_loop_is_a_run", ~Q(mode=MODEL) | Q(run__gte=1)),
            check("bonus_is_for_fooling_a_run", Q(bonus_cents=0) | Q(mode=MODEL)),
        ]

    def __str__(self) -> str:
        return f"{self.prompt} (version {self.number})"

    @property
    def frozen_run(self) -> FrozenRun | None:
        """Returns the run that answers under this version; None if none does."""
        names = (each.name for each in fields(FrozenRun))
        return FrozenRun(*(getattr(self, name) for name in names)) if self.run else None


class PromptField(models.Model):
    """One text field of the writing page: its label, wording and order."""

    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="fields")
    order = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    wording = models.TextField()
    reminder = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            unique("one_field_a_place", "version", "order"),
            unique("one_field_a_label", "version", "label"),
        ]


class WorkedExample(models.Model):
    """A premise, a label, and a hypothesis that fits it, shown with the prompt."""

    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="examples")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    label = models.CharField(max_length=20)
    hypothesis = models.TextField()
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_example_a_place", "version", "order")]


class FaqEntry(models.Model):
    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="faq")
    order = models.PositiveSmallIntegerField()
    question = models.TextField()
    answer = models.TextField(help_text="Markdown")

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_faq_entry_a_place", "version", "order")]


class CheckQuestion(models.Model):
    """One question of the short check after the instructions: which label fits this sentence?"""

    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="check_questions")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField()
    label = models.CharField(max_length=20)
    explanation = models.TextField(help_text="shown after a wrong answer")

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_check_question_a_place", "version", "order")]


class Genre(models.Model):
    """A kind of text. Genres outside training form the mismatched parts of dev and test."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="genres")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    register = models.CharField(max_length=20, blank=True, help_text="written or spoken")
    in_training = models.BooleanField(default=default_of(GenrePart, "in_training"))
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, null=True, blank=True)

    objects = GenreQuerySet.as_manager()

    class Meta:
        constraints = [unique("genre_slug_unique_in_corpus", "corpus", "slug")]

    def __str__(self) -> str:
        return self.name


class CorpusTranslation(models.Model):
    """What a corpus says to people who write and label, in another language."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="translations")
    language = models.CharField(max_length=35, help_text="BCP 47, such as ar")
    texts = models.JSONField(help_text="text of the corpus -> its translation")
    said = models.JSONField(help_text="the table of the corpus file")

    class Meta:
        constraints = [unique("one_translation_a_language", "corpus", "language")]

    def __str__(self) -> str:
        return f"{self.corpus} in {self.language}"


class CorpusText(models.Model):
    """A text of a corpus file, kept when it was loaded. Rows are added, never changed; the newest is the corpus's file."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="texts")
    text = models.TextField(help_text="TOML")
    changes = models.JSONField(default=list, help_text="what it changed: [sign, sentence] of each change")
    loaded_at = models.DateTimeField(auto_now_add=True)
    loaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="empty: a command loaded it",
    )

    objects = CorpusTextQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.corpus} of {self.loaded_at:%Y-%m-%d %H:%M}"
