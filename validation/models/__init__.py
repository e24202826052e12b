"""What is asked about pairs, the seats for answers, and the answers."""

from validation.models.batches import Assignment, BatchItem, DraftAnswer
from validation.models.calibration import CalibrationAnswer, CalibrationItem
from validation.models.gold import Gold
from validation.models.labels import Adjudication, Label
from validation.models.membership import Membership
from validation.models.questions import (
    LabelWording,
    PartitionRule,
    Question,
    QuestionCheck,
    QuestionExample,
    QuestionFaqEntry,
    QuestionReading,
)
from validation.models.statistics import Figures

__all__ = [
    "Adjudication",
    "Assignment",
    "BatchItem",
    "CalibrationAnswer",
    "CalibrationItem",
    "DraftAnswer",
    "Figures",
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
