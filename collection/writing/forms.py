"""The forms of writing: the task, skipping, the check of instructions, answers to reports, pilots."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from collection.corpus_schema import CONTRAST, MODEL
from collection.models import (
    WHY,
    Corpus,
    DraftText,
    Premise,
    ProblemReport,
    Prompt,
    WritingAssignment,
)
from collection.templatetags.labels import label_mark
from collection.texts import direction_of
from collection.writing.guidance import answers_in_words
from collection.writing.starts import starts_of
from collection.writing.submitting import Signals, version_of

PREFIX, SIGNAL, CHECK = "text-", "signal-", "check-"
MOST_SIGNAL = 2_147_483_647  # the largest number of the database
PROBLEM_CHARS = 2000
MOST_TRIES = 1000


class FocusedForm(forms.Form):
    """A form that can put the cursor into its first field with an error."""

    def focus_first_error(self) -> None:
        name = next((name for name in self.fields if name in self.errors), None)
        if name:
            self.fields[name].widget.attrs["autofocus"] = True


class WritingForm(FocusedForm):
    """A text for each label, a problem report, and the token of the task.

    `submit_writing` decides whether the texts are valid; `blame` puts its errors beside the fields.
    """

    token = forms.CharField(max_length=22, widget=forms.HiddenInput)
    # The task's own token: a double click, or a page sent again, is the same submission.
    key = forms.CharField(max_length=100, widget=forms.HiddenInput)
    # The version of the stored draft that this page started from: see `save_draft`.
    base = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
    problem = forms.CharField(
        required=False,
        max_length=PROBLEM_CHARS,
        label=gettext_lazy("Is something wrong with this text?"),
        help_text=gettext_lazy(
            "Optional. What you write here goes to a researcher when you send your sentences or skip the text."
        ),
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def __init__(self, assignment: WritingAssignment, data: Any = None) -> None:
        self.assignment = assignment
        start = {"token": assignment.token, "key": assignment.token}
        self.starts = starts_of(assignment, {})
        if data is None:
            start |= {f"{PREFIX}{label}": text for label, text in self.starts.items()}
            self.drafts = list(assignment.drafts.all())
            start["base"] = version_of(self.drafts)
            for each in self.drafts:
                start[each.label if each.label == DraftText.PROBLEM else f"{PREFIX}{each.label}"] = each.text
        super().__init__(data, initial=start, label_suffix="")
        if assignment.corpus.language_models == Corpus.LanguageModels.DECLARED:
            self.fields["model_helped"] = forms.BooleanField(
                required=False,
                label=gettext_lazy(
                    "A language model helped me with this one (this is allowed, and your pay stays the same)"
                ),
            )
        corpus = assignment.corpus
        reasons = assignment.reasons
        for entry in corpus.in_order(assignment.prompt_version.fields.all()):
            self.fields[f"{PREFIX}{entry.label}"] = forms.CharField(
                required=False,
                label=label_mark(entry.label, corpus.answer_words[entry.label]),
                help_text=corpus.say(entry.reminder or entry.wording),
                widget=self._text_area(entry.label),
            )
            if (why := f"{WHY}{entry.label}") in reasons:
                self.fields[f"{PREFIX}{why}"] = forms.CharField(
                    required=False,
                    label=format_lazy(
                        "{} ({})", gettext_lazy("Why does it fit?"), corpus.answer_words[entry.label]
                    ),
                    help_text=gettext_lazy("In a sentence, for somebody who sees both."),
                    widget=self._text_area(why),
                )
        kept = {}
        if assignment.prompt_version.mode == MODEL:
            kept = {each.label: each for each in assignment.guidance.all() if each.model_tries}
        self.answers = {
            f"{PREFIX}{label}": said for label, said in answers_in_words(assignment, kept, kept).items()
        }
        first = assignment.labels_on_page[:1] if assignment.prompt_version.mode == CONTRAST else []
        self.changed_from = f"{PREFIX}{first[0]}" if first else ""

    def _text_area(self, name: str) -> forms.Textarea:
        language, start = self.assignment.corpus.language, self.starts.get(name)
        attributes = {"rows": 2, "lang": language, "dir": direction_of(language), "autocomplete": "off"}
        attributes |= {"data-text": name, **({"data-start": start} if start else {})}
        return forms.Textarea(attrs=attributes)

    @property
    def sentences(self) -> int:
        """Returns how many sentences are asked for, without their reasons."""
        return sum(not field.name.startswith(f"{PREFIX}{WHY}") for field in self.text_fields)

    @property
    def text_fields(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith(PREFIX)]

    @property
    def fields_with_answers(self) -> list[tuple[BoundField, str]]:
        """Returns the fields for texts, each with what the run in the loop answered to its draft."""
        return [(field, self.answers.get(field.name, "")) for field in self.text_fields]

    @property
    def texts(self) -> dict[str, str]:
        """Returns label -> text, after `is_valid`."""
        return {
            name.removeprefix(PREFIX): text
            for name, text in self.cleaned_data.items()
            if name.startswith(PREFIX)
        }

    @property
    def has_typed(self) -> bool:
        """Returns whether any field for a text is filled with more than what stood in it."""
        typed = {label: text.strip() for label, text in self.raw_texts.items() if label != DraftText.PROBLEM}
        return any(text not in ("", self.starts.get(label, "").strip()) for label, text in typed.items())

    @property
    def only_reports(self) -> bool:
        """Returns whether a problem is reported and no text written, which releases the premise."""
        return bool(self.raw_texts[DraftText.PROBLEM].strip()) and not self.has_typed

    @property
    def raw_texts(self) -> dict[str, str]:
        """Returns the unchecked content of the fields: label -> text, and the problem."""
        names = [name for name in self.fields if name.startswith(PREFIX)]
        typed = {name.removeprefix(PREFIX): self.data.get(name, "") for name in names}
        return typed | {DraftText.PROBLEM: self.data.get("problem", "")}

    @property
    def signals(self) -> Signals | None:
        """Returns how the task was typed, as the page's script counted it; None without scripts."""
        sent = {field.name: self.data.get(f"{SIGNAL}{field.name}", "") for field in fields(Signals)}
        short = {name: text for name, text in sent.items() if text.isdecimal() and len(text) < 12}
        counts = {name: min(int(text), MOST_SIGNAL) for name, text in short.items()}
        return Signals(**counts) if counts else None

    @property
    def draft_saved_at(self) -> str:
        """Returns when the newest draft was saved, as ISO 8601; empty without a draft."""
        return version_of(self.drafts)

    def start_from(self, version: str) -> None:
        """Allows the page to overwrite this version of the draft, which the writer has seen."""
        self.data = {name: self.data.get(name) for name in self.data} | {"base": version}

    def blame(self, errors: dict[str, str]) -> None:
        """Adds the messages (label -> message) to the fields."""
        for label, message in errors.items():
            name = f"{PREFIX}{label}"
            self.add_error(name if name in self.fields else None, message)


class SkipForm(forms.Form):
    """The content of the skip form: the task, an optional reason, an optional problem."""

    token = forms.CharField(max_length=22)
    reason = forms.ChoiceField(required=False, choices=[("", ""), *WritingAssignment.SkipReason.choices])
    problem = forms.CharField(required=False, max_length=PROBLEM_CHARS)


class CheckForm(FocusedForm):
    """The short check after the instructions: a label for each question."""

    def __init__(
        self,
        questions: Iterable[Any],
        choices: Sequence[tuple[str, str]],
        data: Any = None,
        *,
        say: Callable[[str], str],
    ) -> None:
        """`questions`: with order, premise, hypothesis, label and explanation; `choices`: (label, words); `say`: the
        corpus's, for the language of the reader."""
        super().__init__(data, label_suffix="")
        self.say = say
        self.questions = {f"{CHECK}{each.order}": each for each in questions}
        for name, question in self.questions.items():
            self.fields[name] = forms.ChoiceField(
                label=question.hypothesis,
                choices=choices,
                widget=forms.RadioSelect,
                error_messages={
                    "required": gettext_lazy("Please choose one."),
                    "invalid_choice": gettext_lazy("Please choose one."),
                },
            )

    @property
    def rows(self) -> list[tuple[Any, BoundField]]:
        return [(question, self[name]) for name, question in self.questions.items()]

    @property
    def answers(self) -> dict[int, str]:
        """Returns order -> label, after `is_valid`."""
        return {question.order: self.cleaned_data[name] for name, question in self.questions.items()}

    def explain(self, wrong: Iterable[Any]) -> None:
        """Adds the explanations to the questions with a wrong answer."""
        for question in wrong:
            self.add_error(f"{CHECK}{question.order}", self.say(question.explanation))

    def verdicts(self) -> dict[str, str]:
        """Returns the explanation of each given answer that is wrong, under the name of its field."""
        return {
            name: self.say(question.explanation)
            for name, question in self.questions.items()
            if self.data.get(name, question.label) != question.label
        }

    @property
    def tries_before(self) -> int:
        """Returns how many wrong answers the page's script counted before this form was sent; 0 if scripts are off."""
        counted = self.data.get("tries", "")
        return min(int(counted), MOST_TRIES) if counted.isdecimal() and len(counted) < 5 else 0


class ReportForm(forms.Form):
    """A researcher's answer to a report, and the status of its premise."""

    KEEP, PAUSE, DROP = Premise.Status.OPEN, Premise.Status.PAUSED, Premise.Status.DROPPED
    report = forms.ModelChoiceField(ProblemReport.objects.none(), widget=forms.HiddenInput)
    answer = forms.CharField(
        required=False,
        max_length=PROBLEM_CHARS,
        label="Your answer to the writer",
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    premise = forms.ChoiceField(
        required=False,
        choices=[("", "")] + [(status, status) for status in (KEEP, PAUSE, DROP)],
    )

    def __init__(self, reports: Any, data: Any = None, **options: Any) -> None:
        super().__init__(data, label_suffix="", **options)
        self.fields["report"].queryset = reports  # type: ignore[attr-defined]


class PilotForm(forms.Form):
    """One change to the pilot of a prompt; each button has its own."""

    status = forms.ChoiceField(required=False, choices=[("", ""), *Prompt.Status.choices])
    add = forms.CharField(
        required=False, max_length=40, label="Code of an annotator", help_text="as it is listed under people"
    )
    remove = forms.CharField(required=False, max_length=40)
    premises = forms.IntegerField(required=False, min_value=1, max_value=1000, label="Premises of each genre")
    writers = forms.IntegerField(
        required=False, min_value=1, max_value=100, label="Pilots at each premise", initial=1
    )
    may_enter_train = forms.BooleanField(
        required=False,
        label="Their sentences may enter train later",
        help_text="the writing page tells the pilots; else it says that nothing is published",
    )
    release = forms.BooleanField(required=False)


def by_script(request: HttpRequest) -> bool:
    """Returns whether the request comes from a page's script, which reads JSON."""
    return "application/json" in request.headers.get("Accept", "")


def typed_texts(data: Mapping[str, str]) -> list[str]:
    """Returns what somebody typed into the fields of any task or for a returned sentence, without empty fields."""
    return [
        text
        for name, text in data.items()
        if (name.startswith(PREFIX) or name in ("problem", "text")) and text.strip()
    ]
