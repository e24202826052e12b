"""Entry links of recruiting platforms, visits, and exams."""

import secrets
from typing import Any

from django.conf import settings
from django.core.validators import URLValidator
from django.db import models
from django.db.models import F, Q

from accounts.models import Qualification, new_token
from collection.corpus_schema import ExamPart
from collection.corpus_schema.corpus import CorpusPart
from collection.models.corpora import Corpus
from nli.labels import SCHEME_CHOICES, SCHEMES
from schemas.base import default_of
from shared.constraints import check, unique

# Names of platforms, as people there know them.
PLATFORM_NAMES = {"prolific": "Prolific", "connect": "CloudResearch Connect", "mturk": "MTurk"}


def new_secret() -> str:
    """Makes a secret for signatures: 43 URL-safe characters, 256 random bits."""
    return secrets.token_urlsafe(32)


class EntryLink(models.Model):
    """A link for people of a recruiting platform, with their completion code or address.

    Each platform has its own names for the three URL parameters. At the end, it requires a code to be typed in, or
    people to be redirected to an address.
    """

    class Proof(models.TextChoices):
        NONE = "none", "none: anybody who knows or invents an id gets in with it"
        SIGNATURE = "signature", "signature: your own server signs the ids with the link's secret"
        PROLIFIC = "prolific", "prolific: Prolific signs the ids (secure address of the study)"

    class Work(models.TextChoices):
        ANY = "", "whatever there is"
        WRITING = "writing", "writing"
        LABELLING = "labelling", "labelling"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="entry_links")
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    platform = models.CharField(max_length=60, help_text="such as prolific, connect or mturk")
    name = models.CharField(max_length=200, help_text="for researchers")
    participant_key = models.CharField(max_length=60, default="PROLIFIC_PID")
    study_key = models.CharField(max_length=60, blank=True, default="STUDY_ID")
    session_key = models.CharField(max_length=60, blank=True, default="SESSION_ID")
    # No default: nobody makes a link without a proof who did not choose that.
    proof = models.CharField(
        "proof of who comes",
        max_length=9,
        choices=Proof.choices,
        help_text="with none, people who know the address can invent participants and label a pair several times",
    )
    secret = models.CharField("secret for signatures", max_length=43, default=new_secret, editable=False)
    workspace = models.CharField(
        "Prolific workspace", max_length=60, blank=True, help_text="its id, for the proof by Prolific"
    )
    tasks_wanted = models.PositiveIntegerField(default=1, help_text="finished tasks before the code is shown")
    work = models.CharField(
        max_length=9, choices=Work.choices, blank=True, default=Work.ANY, help_text="what people come for"
    )
    minutes = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="how long a visit takes; empty: computed from the tasks"
    )
    minutes_allowed = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="after so many minutes a visit has run out of time; empty: never"
    )
    completion_code = models.CharField(max_length=100, blank=True)
    no_work_code = models.CharField(
        "code when work runs out",
        max_length=500,
        blank=True,
        help_text="for people who find no more work before their last task: a code, or an address to return to;"
        " empty: they are asked to write to you",
    )
    screened_out_code = models.CharField(
        "code for screened out people",
        max_length=500,
        blank=True,
        help_text="for people who did not pass the exam, or whom you excluded: a code, or an address to return to",
    )
    timed_out_code = models.CharField(
        "code when time is over",
        max_length=500,
        blank=True,
        help_text="for people who were not done after the minutes allowed: a code, or an address to return to",
    )
    completion_url = models.CharField(
        max_length=500,
        blank=True,
        validators=[URLValidator(["https", "http"])],
        help_text="where people go back to, if anywhere",
    )
    grants = models.ForeignKey(
        Qualification,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text="a qualification for everybody who comes in by this link",
    )
    opened = models.PositiveIntegerField(
        default=0, editable=False, help_text="browsers in which the address was opened"
    )
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            check("entry_work_is_known", Q(work__in=["", "writing", "labelling"])),
            check("entry_link_says_how_it_ends", ~Q(completion_code="") | ~Q(completion_url="")),
            check("entry_link_wants_some_work", Q(tasks_wanted__gte=1)),
            check("entry_proof_is_known", Q(proof__in=["none", "signature", "prolific"])),
            check(
                "prolific_proof_names_a_workspace",
                ~Q(proof="prolific") | ~Q(workspace=""),
                error="For the proof by Prolific, give the id of your workspace there.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def platform_name(self) -> str:
        return PLATFORM_NAMES.get(self.platform.strip().lower(), self.platform)


class Invitation(models.Model):
    """An invitation of one e-mail address to a corpus. Its link makes one account, or lets one person join.

    The address is kept until the person is erased, so that nobody is invited twice.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField(help_text="in small letters")
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="when a mail was handed to the mail server"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="invitations",
        help_text="who accepted it",
    )
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_invitation_an_address", "corpus", "email"),
            check(
                "accepted_invitation_has_its_person",
                Q(user=None, accepted_at=None) | Q(user__isnull=False, accepted_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.email


class VisitQuerySet(models.QuerySet["Visit"]):
    def platforms(self) -> dict[int, str]:
        """Returns corpus -> name of the platform from which a person came for it."""
        return {visit.link.corpus_id: visit.link.platform_name for visit in self.select_related("link")}


class Visit(models.Model):
    """One person's visit through an entry link, with the platform's study and session.

    It belongs to the browser in which it began: `browser` is the digest of a cookie there. If that is empty, the
    visit will belong to the next browser. `ended_as`: with which code the person went back to the platform.
    """

    class End(models.TextChoices):
        FINISHED = "finished"
        NO_WORK = "no work", "no more work"
        SCREENED_OUT = "screened out"
        TIMED_OUT = "timed out", "out of time"

    link = models.ForeignKey(EntryLink, on_delete=models.PROTECT, related_name="visits")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="visits")
    study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    browser = models.CharField(max_length=64, blank=True, editable=False)
    arrived_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    returned_at = models.DateTimeField(null=True, blank=True)
    ended_as = models.CharField(max_length=12, choices=End.choices, blank=True)
    # Of a researcher's one-time link back to the visit (collection/joining/returning.py).
    return_digest = models.CharField(max_length=64, blank=True, editable=False)
    return_until = models.DateTimeField(null=True, blank=True, editable=False)
    # They came in another browser, and no such link has been made yet.
    waits_since = models.DateTimeField(null=True, blank=True, editable=False)

    objects = VisitQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_visit_a_session", "link", "user", "session"),
            unique("one_visit_a_return_link", "return_digest", where=~Q(return_digest="")),
            check(
                "return_link_has_an_end",
                Q(return_digest="", return_until=None) | ~Q(return_digest="") & Q(return_until__isnull=False),
            ),
            check(
                "returned_visit_says_how_it_ended",
                Q(returned_at=None, ended_as="")
                | Q(
                    returned_at__isnull=False,
                    ended_as__in=["finished", "no work", "screened out", "timed out"],
                ),
            ),
        ]


class SignUpQuerySet(models.QuerySet["SignUp"]):
    def way_of_pay(self, came_for: int | None) -> dict[str, Any]:
        """Returns `payment` and `is_trial` of the corpus that somebody came for by a link, or joined last.

        Without such a corpus: what all corpora have in common. `payment` is None where it is not known.
        """
        corpus = came_for or self.order_by("-pk").values_list("corpus", flat=True).first()
        corpora = Corpus.objects.filter(pk=corpus) if corpus else Corpus.objects.all()
        ways = list(corpora.order_by().values("payment", is_trial=F("made_for_demo")).distinct()[:2])
        return dict(ways[0]) if len(ways) == 1 else {"payment": None, "is_trial": False}


class SignUp(models.Model):
    """Somebody made an account by themselves, or joined with one, for one corpus. Others are not open to them."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sign_ups")
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="sign_ups")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SignUpQuerySet.as_manager()

    class Meta:
        constraints = [unique("one_sign_up_a_person_and_corpus", "user", "corpus")]


WRITING_EXAM = "writing"


class Exam(models.Model):
    """A test that grants a qualification: people label known pairs, write for given premises, or both.

    A corpus has at most one exam for writing; each question about its pairs may have one of its own.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="exams")
    slug = models.SlugField(
        max_length=70, default=WRITING_EXAM, help_text="writing, or label- and a question's"
    )
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES, default=default_of(CorpusPart, "scheme"))
    qualification = models.OneToOneField(Qualification, on_delete=models.PROTECT, related_name="exam")
    instructions = models.TextField(blank=True, help_text="Markdown")
    pass_mark = models.PositiveSmallIntegerField(
        default=default_of(ExamPart, "pass_mark"), help_text="percent of the known labels"
    )
    tries = models.PositiveSmallIntegerField(default=default_of(ExamPart, "tries"))
    is_open = models.BooleanField(default=True, help_text="whether it can be taken; results stay")

    class Meta:
        constraints = [
            check("pass_mark_is_a_share", Q(pass_mark__lte=100)),
            check("exam_can_be_tried", Q(tries__gte=1)),
            check("exam_scheme_is_known", Q(scheme__in=list(SCHEMES))),
            unique("exam_slug_unique_in_corpus", "corpus", "slug"),
        ]

    @property
    def labels(self) -> tuple[str, ...]:
        return SCHEMES[self.scheme]

    @property
    def verb(self) -> str:
        """Returns the verb for what somebody who passed may do."""
        return "write" if self.slug == WRITING_EXAM else "label"


class ExamItem(models.Model):
    """One item: a pair whose label is known, or (without a hypothesis) a premise to write for."""

    exam = models.ForeignKey(Exam, on_delete=models.CASCADE, related_name="items")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField(blank=True)
    label = models.CharField(max_length=20, help_text="the known label, or the one to write for")

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_exam_item_a_place", "exam", "order")]

    @property
    def asks_for_text(self) -> bool:
        """Returns whether people write the sentence themselves, which a researcher then reads."""
        return not self.hypothesis


class ExamAttemptQuerySet(models.QuerySet["ExamAttempt"]):
    def waiting(self) -> "ExamAttemptQuerySet":
        """Filters tries that a researcher has yet to judge."""
        return self.filter(passed=None)


class ExamAttempt(models.Model):
    """One try of one person, judged by the known labels or by a researcher."""

    exam = models.ForeignKey(Exam, on_delete=models.PROTECT, related_name="attempts")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    number = models.PositiveSmallIntegerField(default=1)
    score = models.PositiveSmallIntegerField(null=True, blank=True, help_text="percent of the known labels")
    sent_at = models.DateTimeField(auto_now_add=True)
    passed = models.BooleanField(null=True, blank=True, help_text="empty: a researcher has yet to judge")
    judged_at = models.DateTimeField(null=True, blank=True)
    judged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    judgement = models.TextField(blank=True, help_text="shown to the annotator")

    objects = ExamAttemptQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_attempt_a_number", "exam", "annotator", "number"),
            unique("one_unjudged_attempt", "exam", "annotator", where=Q(passed=None)),
            check(
                "judged_attempt_has_a_time",
                Q(passed=None, judged_at=None) | Q(passed__isnull=False, judged_at__isnull=False),
            ),
        ]


class ExamAnswer(models.Model):
    """The answer to one item: a label, or a text. The item is copied, because exams change."""

    attempt = models.ForeignKey(ExamAttempt, on_delete=models.CASCADE, related_name="answers")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField()
    wanted_label = models.CharField(max_length=20)
    label = models.CharField(
        max_length=20, blank=True, help_text="the answer, where the hypothesis was given"
    )

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_answer_an_exam_item", "attempt", "order")]
