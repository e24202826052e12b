"""The writing page's form."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.forms.boundfield import BoundField

from collection.models import WritingAssignment
from collection.texts import direction_of

PREFIX = "text-"
PROBLEM_CHARS = 2000


class WritingForm(forms.Form):
    """One text a label, a problem report, and what says which task this is.

    Reads the texts and keeps them; whether they will do is decided by `submit_writing`, and `blame` puts what
    it says beside the fields.
    """

    token = forms.CharField(max_length=22, widget=forms.HiddenInput)
    # The task's own token: a double click, or a page sent again, is the same submission.
    key = forms.CharField(max_length=100, widget=forms.HiddenInput)
    problem = forms.CharField(
        required=False,
        max_length=PROBLEM_CHARS,
        label="Is something wrong with this text?",
        help_text="You need not fill this in. A researcher reads it.",
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def __init__(self, assignment: WritingAssignment, data: Any = None) -> None:
        start = {"token": assignment.token, "key": assignment.token}
        super().__init__(data, initial=start, label_suffix="")
        for entry in assignment.prompt_version.fields.all():
            self.fields[f"{PREFIX}{entry.label}"] = forms.CharField(
                required=False,
                label=entry.wording,
                help_text=entry.reminder,
                widget=forms.Textarea(
                    attrs={
                        "rows": 2,
                        "lang": assignment.corpus.language,
                        "dir": direction_of(assignment.corpus.language),
                        "autocomplete": "off",
                        "data-text": entry.label,
                    }
                ),
            )

    @property
    def text_fields(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith(PREFIX)]

    @property
    def texts(self) -> dict[str, str]:
        """Label -> text, after `is_valid`. A hypothesis is one line, however the field was wrapped."""
        return {
            name.removeprefix(PREFIX): " ".join(text.splitlines())
            for name, text in self.cleaned_data.items()
            if name.startswith(PREFIX)
        }

    def blame(self, errors: dict[str, str]) -> None:
        """Puts label -> message beside the fields; the first of them gets the focus."""
        for label, message in errors.items():
            name = f"{PREFIX}{label}"
            self.add_error(name if name in self.fields else None, message)

    def focus_first_error(self) -> None:
        name = next((name for name in self.fields if name in self.errors), None)
        if name:
            self.fields[name].widget.attrs["autofocus"] = True


class SkipForm(forms.Form):
    """What the skip button sends: the task, and perhaps what is wrong with it."""

    token = forms.CharField(max_length=22)
    problem = forms.CharField(required=False, max_length=PROBLEM_CHARS)


def typed_texts(data: Mapping[str, str]) -> list[str]:
    """What somebody typed into the fields of a task, whichever task it was; empty fields left out."""
    return [
        text for name, text in data.items() if (name.startswith(PREFIX) or name == "problem") and text.strip()
    ]
