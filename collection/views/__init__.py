"""The pages of writing: for who writes, and for who reads what they wrote."""

from collection.views.drafts import discard_draft, draft
from collection.views.entering import enter, visit
from collection.views.exams import exam
from collection.views.mine import my_reports, my_writing
from collection.views.prompts import faq, prompt
from collection.views.researchers import advice_counts, pilot, pilots, report_queue
from collection.views.writing import skip, writing

__all__ = [
    "advice_counts",
    "discard_draft",
    "draft",
    "enter",
    "exam",
    "faq",
    "my_reports",
    "my_writing",
    "pilot",
    "pilots",
    "prompt",
    "report_queue",
    "skip",
    "visit",
    "writing",
]
