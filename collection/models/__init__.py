"""What is collected: corpora, genres, prompts, premises, writing, pairs."""

from collection.corpus_schema import PARTITIONS
from collection.models.corpora import (
    AdviceSetting,
    CheckQuestion,
    Corpus,
    CorpusText,
    CorpusTranslation,
    FaqEntry,
    Genre,
    Prompt,
    PromptChange,
    PromptField,
    PromptVersion,
    WorkedExample,
)
from collection.models.exclusions import Exclusion, Vetting
from collection.models.imports import PairImportJob
from collection.models.joining import (
    WRITING_EXAM,
    EntryLink,
    Exam,
    ExamAnswer,
    ExamAttempt,
    ExamItem,
    Invitation,
    SignUp,
    Visit,
)
from collection.models.pairs import PARTITION_CHOICES, Pair, PairEdit, PairInSet, PairSet, Parse
from collection.models.pay import MOST_TOP_UP_CENTS, LedgerEntry, PayList
from collection.models.premises import DroppedLine, OfferedText, Premise, PremiseImport, Source
from collection.models.returned import ReturnedText
from collection.models.withholding import Withholding
from collection.models.writing import (
    AdviceGiven,
    ArmDraw,
    DraftText,
    PilotWriter,
    ProblemReport,
    PromptReading,
    WritingAssignment,
    WritingSeat,
    WritingSignals,
)

__all__ = [
    "MOST_TOP_UP_CENTS",
    "PARTITIONS",
    "PARTITION_CHOICES",
    "WRITING_EXAM",
    "AdviceGiven",
    "AdviceSetting",
    "ArmDraw",
    "CheckQuestion",
    "Corpus",
    "CorpusText",
    "CorpusTranslation",
    "DraftText",
    "DroppedLine",
    "EntryLink",
    "Exam",
    "ExamAnswer",
    "ExamAttempt",
    "ExamItem",
    "Exclusion",
    "FaqEntry",
    "Genre",
    "Invitation",
    "LedgerEntry",
    "OfferedText",
    "Pair",
    "PairEdit",
    "PairImportJob",
    "PairInSet",
    "PairSet",
    "Parse",
    "PayList",
    "PilotWriter",
    "Premise",
    "PremiseImport",
    "ProblemReport",
    "Prompt",
    "PromptChange",
    "PromptField",
    "PromptReading",
    "PromptVersion",
    "ReturnedText",
    "SignUp",
    "Source",
    "Vetting",
    "Visit",
    "Withholding",
    "WorkedExample",
    "WritingAssignment",
    "WritingSeat",
    "WritingSignals",
]
