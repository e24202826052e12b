"""Gives advice on texts that are probably not what the task asks for. Imports no Django.

Each kind has a level: off, warn (show the advice, and accept the text) or refuse (require another text). A corpus can
set other levels than those here. Writers of SNLI used some sentences again and again (2.1), and annotation artifacts
grow from small edits of the premise (Poliak et al. 2018): there is advice against both.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.translatable import gettext_noop, ngettext_noop

OFF, WARN, REFUSE = "off", "warn", "refuse"

# Level of each kind unless the corpus sets one.
LEVELS = {
    "empty": REFUSE,
    "unchanged": REFUSE,
    "avoided_word": REFUSE,
    "too_short": REFUSE,
    "too_long": REFUSE,
    "same_as_premise": REFUSE,
    "same_as_another": REFUSE,
    "used_before": WARN,
    "one_word_changed": WARN,
    "other_language": WARN,
    "gives_away": WARN,
    "found_alone": WARN,
}
# Levels that a corpus cannot change: the database accepts no empty hypothesis, and a prompt says the others itself.
COACHED = frozenset({"gives_away", "found_alone"})  # what a coach says
FIXED = frozenset({"empty", "unchanged", "avoided_word"}) | COACHED
# Meaning of each kind.
MEANINGS = {
    "empty": gettext_noop("A field was empty"),
    "unchanged": gettext_noop("The sentence that was to be changed, as it was"),
    "avoided_word": gettext_noop("A word that the task does not allow"),
    "too_short": gettext_noop("Too short"),
    "too_long": gettext_noop("Too long"),
    "same_as_premise": gettext_noop("The same as the text, or as one of its sentences"),
    "same_as_another": gettext_noop("The same in two fields"),
    "used_before": gettext_noop("Sent before"),
    "one_word_changed": gettext_noop(
        "Your sentence was almost the same as the text or as another of your sentences"
    ),
    "other_language": gettext_noop("Perhaps in another language"),
    "gives_away": gettext_noop("A word that gives the answer away"),
    "found_alone": gettext_noop("A sentence whose answer a program found without the text"),
}
TOO_LONG = ngettext_noop(
    "This is %(count)s character too long. Please shorten it.",
    "This is %(count)s characters too long. Please shorten it.",
)
# Given only after somebody has stopped typing.
AFTER_TYPING = frozenset({"empty", "too_short", "unchanged"})
# In shorter sentences, one changed word means nothing.
LEAST_WORDS = 4


WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def fold(text: str) -> str:
    """Returns the text without case, punctuation and differences of white space."""
    return " ".join(words_of(text)) or " ".join(text.split())


def words_of(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFC", text).casefold())


@dataclass(frozen=True)
class Advice:
    """Advice on one field. Pages translate its text; with a number (`count`), it has two forms."""

    label: str
    kind: str
    level: str
    text: str | tuple[str, str]
    count: int = 0
    word: str = ""

    @property
    def refuses(self) -> bool:
        return self.level == REFUSE


@dataclass(frozen=True)
class Task:
    """The task whose texts get advice: everything with which they are compared.

    `used_before`: folded texts that the writer sent earlier. `is_other_language` returns whether a text is surely not in
    the corpus's language; None without a detector for the language. `starts`: label -> the sentence that was to be changed;
    such a text may be near to the premise and to the others. `avoid`: words that no text may have; `split` finds them.
    `give_aways`: label -> words that mostly stand in sentences for it. `found_alone`: labels whose answer a model found
    that reads no premise.
    """

    premise: Sequence[str]
    shortest: int
    longest: int
    used_before: Collection[str] = frozenset()
    is_other_language: Callable[[str], bool] | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)
    avoid: Collection[str] = ()
    give_aways: Mapping[str, Collection[str]] = field(default_factory=dict)
    found_alone: Collection[str] = ()
    split: Callable[[str], Sequence[str]] = words_of

    def level_of(self, kind: str) -> str:
        return LEVELS[kind] if kind in FIXED else self.levels.get(kind, LEVELS[kind])


def differ_by_one_word(one: Sequence[str], other: Sequence[str]) -> bool:
    """Returns whether a single word was added, left out, or replaced."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) - len(shorter) > 1 or len(longer) < LEAST_WORDS:
        return False
    place = next((k for k, word in enumerate(shorter) if word != longer[k]), len(shorter))
    if len(longer) == len(shorter):
        return place < len(longer) and list(longer[place + 1 :]) == list(shorter[place + 1 :])
    return list(longer[place + 1 :]) == list(shorter[place:])


def has_words(text: str, sought: str, split: Callable[[str], Sequence[str]]) -> bool:
    """Returns whether these words stand in the text, one after the other; signs that are no words, anywhere.

    A part with an apostrophe, such as n't, is found at the end of words.
    """
    text, sought = (each.casefold().replace("’", "'") for each in (text, sought))
    among, words = list(split(text)), list(split(sought))
    if "'" in sought and len(words) == 1:
        return any(word.endswith(sought.strip()) for word in among)
    if not words:
        return sought in text
    return any(among[place : place + len(words)] == words for place in range(len(among) - len(words) + 1))


def advise(texts: Mapping[str, str], task: Task) -> list[Advice]:
    """Returns at most one piece of advice for each of the texts (label -> text), the most serious one."""
    found = []
    for label, text in texts.items():
        others = [
            other
            for name, other in texts.items()
            if name != label and other.strip() and task.starts.get(name) != text
        ]
        advice_of_text = [
            Advice(label, kind, task.level_of(kind), *words)
            for kind, *words in _all_advice(text.strip(), others, task, label)
            if task.level_of(kind) != OFF
        ]
        if advice_of_text:
            found.append(min(advice_of_text, key=lambda advice: not advice.refuses))
    return found


def _all_advice(text: str, others: Sequence[str], task: Task, label: str) -> list[tuple[Any, ...]]:
    """Returns kind, text and, where the text has them, number and word."""
    if not text:
        return [("empty", gettext_noop("Please write a sentence here."))]
    found: list[tuple[Any, ...]] = []
    folded, words, start = fold(text), words_of(text), task.starts.get(label)
    if start is not None and folded == fold(start):
        return [("unchanged", gettext_noop("Nothing is changed yet. Please change this sentence."))]
    if avoided := next((f"{word}" for word in task.avoid if has_words(text, word, task.split)), None):
        why = gettext_noop("Please write this without “%(word)s”: the task does not allow it.")
        found.append(("avoided_word", why, 0, avoided))
    premises = [*task.premise, " ".join(task.premise)]
    if len(text) < task.shortest:
        found.append(
            (
                "too_short",
                ngettext_noop(
                    "This is too short. Please write at least %(count)s character.",
                    "This is too short. Please write at least %(count)s characters.",
                ),
                task.shortest,
            )
        )
    if len(text) > task.longest:
        found.append(
            (
                "too_long",
                TOO_LONG,
                len(text) - task.longest,
            )
        )
    if folded in map(fold, premises):
        found.append(
            (
                "same_as_premise",
                gettext_noop("This is the text itself. Please write a sentence in words of your own."),
            )
        )
    if folded in map(fold, others):
        found.append(
            (
                "same_as_another",
                gettext_noop("You wrote the same in another field. Each field needs a sentence of its own."),
            )
        )
    if folded in task.used_before:
        found.append(
            (
                "used_before",
                gettext_noop("You have sent this sentence before. Please write a new one about this text."),
            )
        )
    if start is not None:
        pass  # little is to be changed
    elif any(differ_by_one_word(words, words_of(premise)) for premise in premises):
        found.append(
            (
                "one_word_changed",
                gettext_noop("Only one word differs from the text. Please write a sentence of your own."),
            )
        )
    elif not task.starts and any(differ_by_one_word(words, words_of(other)) for other in others):
        found.append(
            (
                "one_word_changed",
                gettext_noop(
                    "Only one word differs from your other sentence. Please write two different sentences."
                ),
            )
        )
    if task.is_other_language is not None and len(words) >= LEAST_WORDS and task.is_other_language(text):
        found.append(
            (
                "other_language",
                gettext_noop("This does not look like the language of this study. Is that a mistake?"),
            )
        )
    if told := next(
        (word for word in task.give_aways.get(label, ()) if has_words(text, word, task.split)), None
    ):
        why = gettext_noop(
            "“%(word)s” stands in many sentences for this answer. Can you say it in another way?"
        )
        found.append(("gives_away", why, 0, told))
    if label in task.found_alone:
        why = gettext_noop(
            "A program that read only this sentence found the answer. Can you write it so that one has to read the text?"
        )
        found.append(("found_alone", why))
    return found
