"""The schema of a corpus file: its tables and keys, with types, limits, defaults and meanings.

All other modules use these definitions: the models for their defaults, the reference page for its tables.
"""

from collection.corpus_schema.corpus import (
    LANGUAGE_MODELS,
    LEVELS,
    PROTOCOLS,
    AdvicePart,
    ConsentPart,
    CorpusFile,
    CorpusPart,
    FactPart,
    TranslationPart,
)
from collection.corpus_schema.levels import LevelPart
from collection.corpus_schema.prompts import (
    CONTRAST,
    EDIT,
    EXPLAIN,
    MODEL,
    MODES,
    STATUSES,
    WRITE,
    GenrePart,
    PromptPart,
    WrittenField,
)
from collection.corpus_schema.questions import (
    CalibrationPart,
    PartitionRule,
    QuestionPart,
    SideQuestionPart,
    WordedLabel,
)
from collection.corpus_schema.shared_tables import Check, ExamItemPart, ExamPart, Example, Faq, Table
from collection.corpus_schema.translations import (
    TranslatedExam,
    TranslatedFaq,
    TranslatedField,
    TranslatedLabel,
    TranslatedLevel,
    TranslatedPrompt,
    TranslatedQuestion,
    TranslatedSideQuestion,
)
from nli.lines import PARTITIONS

__all__ = [
    "CONTRAST",
    "EDIT",
    "EXPLAIN",
    "LANGUAGE_MODELS",
    "LEVELS",
    "MODEL",
    "MODES",
    "PARTITIONS",
    "PROTOCOLS",
    "STATUSES",
    "WRITE",
    "AdvicePart",
    "CalibrationPart",
    "Check",
    "ConsentPart",
    "CorpusFile",
    "CorpusPart",
    "ExamItemPart",
    "ExamPart",
    "Example",
    "FactPart",
    "Faq",
    "GenrePart",
    "LevelPart",
    "PartitionRule",
    "PromptPart",
    "QuestionPart",
    "SideQuestionPart",
    "Table",
    "TranslatedExam",
    "TranslatedFaq",
    "TranslatedField",
    "TranslatedLabel",
    "TranslatedLevel",
    "TranslatedPrompt",
    "TranslatedQuestion",
    "TranslatedSideQuestion",
    "TranslationPart",
    "WordedLabel",
    "WrittenField",
]
