"""Which researchers belong to a corpus, and what each of them may do there."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.corpora import Corpus
from shared.constraints import check, unique


class CorpusMember(models.Model):
    """A researcher of a corpus, with a role. Whoever has no row sees nothing of it; administrators need none.

    What each role may do is in `collection.members.gate`. A corpus that has an owner keeps one: see
    `collection.members.actions`.
    """

    class Role(models.TextChoices):
        OWNER = "owner", "owner: everything, and decides who belongs to it"
        RESEARCHER = "researcher", "researcher: everything but who belongs to it"
        MANAGER = "manager", "manager of annotators: people, links and pay; no gold labels, no releases"
        READER = "reader", "reader: looks at texts, labels and results, and changes nothing"

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="corpus_memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)
    since = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="who gave the role; empty: the operator, or the upgrade that brought roles",
    )

    class Meta:
        constraints = [
            unique("one_role_a_corpus_and_researcher", "corpus", "user"),
            check("corpus_role_is_known", Q(role__in=["owner", "researcher", "manager", "reader"])),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.corpus}"
