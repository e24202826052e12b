"""The texts of corpus files as they were loaded."""

from django.conf import settings
from django.db import models

from collection.models.corpora import Corpus
from collection.models.querysets import CorpusTextQuerySet


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
