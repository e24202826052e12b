"""The texts of corpus files as they were loaded."""

from django.conf import settings
from django.db import models

from collection.models.corpora import Corpus
from collection.models.querysets import CorpusTextQuerySet
from shared.constraints import unique


class CorpusTranslation(models.Model):
    """What a corpus says to people who write and label, in another language."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="translations")
    language = models.CharField(max_length=35, help_text="BCP 47, such as ar")
    texts = models.JSONField(help_text="text of the corpus -> its translation")
    said = models.JSONField(help_text="the table of the corpus file")

    class Meta:
        constraints = [unique("one_translation_a_language", "corpus", "language")]

    def __str__(self) -> str:
        return f"{self.corpus} in {self.language}"


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
