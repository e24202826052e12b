"""Tables of validation: questions about pairs, seats, batches, labels, gold labels, cached statistics."""

from validation.models.batches import Assignment, BatchItem, DraftAnswer
from validation.models.calibration import CalibrationAnswer, CalibrationItem
from validation.models.labels import Adjudication, Gold, Label
from validation.models.questions import (
    LabelWording,
    Membership,
    PartitionRule,
    Question,
    QuestionCheck,
    QuestionExample,
    QuestionFaqEntry,
    QuestionReading,
)
from validation.models.statistics import CachedStatistics

__all__ = [
    "Adjudication",
    "Assignment",
    "BatchItem",
    "CachedStatistics",
    "CalibrationAnswer",
    "CalibrationItem",
    "DraftAnswer",
    "Gold",
    "Label",
    "LabelWording",
    "Membership",
    "PartitionRule",
    "Question",
    "QuestionCheck",
    "QuestionExample",
    "QuestionFaqEntry",
    "QuestionReading",
]
