"""Advice on what somebody writes: what is likely not what the task asks for. No Django in here.

Each kind has a level: off, warn (say it, and take the text) or refuse (ask for another text). A corpus may
set another level than the one here. SNLI met sentences that its writers used again and again (2.1), and
annotation artifacts grow from small edits of the premise (Poliak et al. 2018): so both are noticed.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

OFF, WARN, REFUSE = "off", "warn", "refuse"

# What each kind does where the corpus says nothing.
LEVELS = {
    "empty": REFUSE,
    "too_short": REFUSE,
    "too_long": REFUSE,
    "same_as_premise": REFUSE,
    "same_as_another": REFUSE,
    "used_before": WARN,
    "one_word_changed": WARN,
    "other_language": WARN,
}
# No hypothesis may be empty, whatever a corpus says: the database takes none.
FIXED = frozenset({"empty"})
# What each kind is, for the people who read the counts.
MEANINGS = {
    "empty": "nothing was written",
    "too_short": "under the least number of characters",
    "too_long": "over the greatest number of characters",
    "same_as_premise": "the text itself, or one of its sentences",
    "same_as_another": "the same in two fields of one task",
    "used_before": "a sentence that the same writer sent before",
    "one_word_changed": "one word other than the text or another field",
    "other_language": "not in the language of the corpus, as far as a guess can tell",
}
# Said while somebody still types only if it makes sense before they are done.
AFTER_TYPING = frozenset({"empty", "too_short"})
# In shorter sentences one word is too much of the whole to say anything.
LEAST_WORDS = 4

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Advice:
    """One thing to say about one field."""

    label: str
    kind: str
    level: str
    words: str

    @property
    def refuses(self) -> bool:
        return self.level == REFUSE


@dataclass(frozen=True)
class Task:
    """What the texts are held against.

    `used_before`: folded texts that the writer sent earlier. `is_other_language` answers whether a text is surely not in
    the corpus's language; None where nobody can tell.
    """

    premise: Sequence[str]
    shortest: int
    longest: int
    used_before: Collection[str] = frozenset()
    is_other_language: Callable[[str], bool] | None = None
    levels: Mapping[str, str] = field(default_factory=dict)

    def level_of(self, kind: str) -> str:
        return LEVELS[kind] if kind in FIXED else self.levels.get(kind, LEVELS[kind])


def fold(text: str) -> str:
    """Texts that a reader takes for the same: without case, punctuation and differences of white space."""
    return " ".join(words_of(text)) or " ".join(text.split())


def words_of(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFC", text).casefold())


def differ_by_one_word(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a single word was put in, left out, or put in another's place."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(longer) - len(shorter) > 1 or len(longer) < LEAST_WORDS:
        return False
    place = next((k for k, word in enumerate(shorter) if word != longer[k]), len(shorter))
    if len(longer) == len(shorter):
        return place < len(longer) and list(longer[place + 1 :]) == list(shorter[place + 1 :])
    return list(longer[place + 1 :]) == list(shorter[place:])


def advise(texts: Mapping[str, str], task: Task) -> list[Advice]:
    """What there is to say about the texts (label -> text), field by field, the most serious thing first.

    Says at most one thing about a field: who is told that a text is the premise need not hear that it is also
    one word away from another field.
    """
    found = []
    for label, text in texts.items():
        others = [other for name, other in texts.items() if name != label and other.strip()]
        said = [
            Advice(label, kind, task.level_of(kind), words)
            for kind, words in _complaints(text.strip(), others, task)
            if task.level_of(kind) != OFF
        ]
        if said:
            found.append(min(said, key=lambda advice: not advice.refuses))
    return found


def _complaints(text: str, others: Sequence[str], task: Task) -> list[tuple[str, str]]:
    if not text:
        return [("empty", "Please write a sentence here.")]
    found, folded, words = [], fold(text), words_of(text)
    premises = [*task.premise, " ".join(task.premise)]
    if len(text) < task.shortest:
        found.append(("too_short", f"This is too short: please write at least {task.shortest} characters."))
    if len(text) > task.longest:
        found.append(
            ("too_long", f"This is {len(text)} characters long; please shorten it to {task.longest}.")
        )
    if folded in map(fold, premises):
        found.append(
            ("same_as_premise", "This is the text itself. Please write a sentence in words of your own.")
        )
    if folded in map(fold, others):
        found.append(
            (
                "same_as_another",
                "You wrote the same in another field. Each field needs a sentence of its own.",
            )
        )
    if folded in task.used_before:
        found.append(
            ("used_before", "You have sent this sentence before. One about this very text tells us more.")
        )
    if any(differ_by_one_word(words, words_of(premise)) for premise in premises):
        found.append(
            ("one_word_changed", "Only one word differs from the text. A sentence of your own tells us more.")
        )
    elif any(differ_by_one_word(words, words_of(other)) for other in others):
        found.append(
            (
                "one_word_changed",
                "Only one word differs from your other sentence. A sentence of its own tells us more.",
            )
        )
    if task.is_other_language is not None and len(words) >= LEAST_WORDS and task.is_other_language(text):
        found.append(
            ("other_language", "This does not look like the language that we collect. Is it a slip?")
        )
    return found
