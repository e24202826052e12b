"""Tables of people, consents, qualifications, sign-ins and tokens."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from accounts.background_questions import QUESTIONS
from accounts.placeholders import placeholder_in
from accounts.querysets import ConsentQuerySet, GrantQuerySet, QuintetUserManager
from shared.constraints import check, unique

# Without 0/o and 1/l/i: codes are read out over the phone.
CODE_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def new_code() -> str:
    """Returns a pseudonym: ten characters, about 49 random bits."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(10))


def new_token() -> str:
    """Returns an unguessable name: 22 URL-safe characters, 128 random bits."""
    return secrets.token_urlsafe(16)


class User(AbstractUser):
    """Anybody with an account. Exports contain a person's `code` alone."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator"
        RESEARCHER = "researcher"
        ADMINISTRATOR = "administrator"

    class Kind(models.TextChoices):
        PERSON = "person"
        SIMULATED = "simulated", "simulated annotator"
        IMPORTED = "imported", "annotator of an imported corpus"

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    role = models.CharField(max_length=13, choices=Role.choices, default=Role.ANNOTATOR)
    kind = models.CharField(max_length=9, choices=Kind.choices, default=Kind.PERSON)
    code = models.CharField(max_length=40, unique=True, default=new_code, editable=False)
    language = models.CharField(
        max_length=10, blank=True, editable=False, help_text="of their pages; empty: the browser's"
    )

    bound_to = ""  # slug of the only corpus that they see in this request, which a token is bound to; empty: not bound

    objects = QuintetUserManager()  # type: ignore[misc]

    class Meta:
        constraints = [
            check("role_is_known", Q(role__in=["annotator", "researcher", "administrator"])),
            check("kind_of_user_is_known", Q(kind__in=["person", "simulated", "imported"])),
            check("annotator_is_no_superuser", ~Q(role="annotator") | Q(is_superuser=False)),
        ]

    def __str__(self) -> str:
        return self.code

    def get_full_name(self) -> str:
        """Returns the name that the workspace shows. Real names are not asked for."""
        return self.username

    def get_short_name(self) -> str:
        return self.username

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """Returns what a session must hold to be good. Under another role it differs, as it does with a new password.

        That of an annotator is Django's.
        """
        usual = str(super()._get_session_auth_hash(secret))  # type: ignore[misc]
        return usual if self.role == self.Role.ANNOTATOR else f"{self.role} {usual}"

    @property
    def is_researcher(self) -> bool:
        return self.role in (self.Role.RESEARCHER, self.Role.ADMINISTRATOR)

    @property
    def is_administrator(self) -> bool:
        return self.role == self.Role.ADMINISTRATOR

    @property
    def is_staff(self) -> bool:  # type: ignore[override]
        """Returns whether the person may open the admin. It follows from the role."""
        return self.is_researcher


class ConsentForm(models.Model):
    """A consent text that people agree to before their first task. A new wording is a new form."""

    title = models.CharField(max_length=200)
    text = models.TextField(help_text="Markdown")
    facts = models.JSONField(
        default=list,
        blank=True,
        help_text="the same text as pages fold it: [fact, what is folded under it]; empty: unfolded",
    )
    translations = models.JSONField(
        default=dict,
        blank=True,
        help_text="language -> title, text and facts in it, to which people agree as well",
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title

    read_language = ""  # see `read_in`

    @staticmethod
    def digest_of(
        title: str,
        text: str,
        facts: Sequence[Sequence[str]] = (),
        translations: Mapping[str, Any] | None = None,
    ) -> str:
        """Returns the digest of the whole text. The same text folded or translated in another way is another form."""
        folded = f"\n{json.dumps(facts)}" if facts else ""
        said = f"\n{json.dumps(translations, sort_keys=True)}" if translations else ""
        return hashlib.sha256(f"{title}\n{text}{folded}{said}".encode()).hexdigest()

    def read_in(self, language: str) -> "ConsentForm":
        """Returns the form as people read it in this language, in `read_language`; as it is where it has no such text."""
        said = next((tag for tag in (language, language.partition("-")[0]) if tag in self.translations), "")
        shown = ConsentForm(
            pk=self.pk, title=self.title, text=self.text, facts=self.facts, digest=self.digest
        )
        shown.translations = self.translations
        for key, value in self.translations.get(said, {}).items():
            setattr(shown, key, value)
        shown.read_language = said
        return shown

    @property
    def in_sight(self) -> str:
        """Returns the text without what pages fold."""
        return "\n".join(fact for fact, _ in self.facts) or self.text

    @property
    def is_ready(self) -> bool:
        """Returns whether the text has no placeholder left: only then can people agree to it."""
        texts = [{"title": self.title, "text": self.text}, *self.translations.values()]
        return not any(placeholder_in(f"{each['title']}\n{each['text']}") for each in texts)


class Consent(models.Model):
    """One person's consent to one form. `withdrawn_at` withdraws it; rows are never deleted."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="consents")
    form = models.ForeignKey(ConsentForm, on_delete=models.PROTECT)
    language = models.CharField(
        max_length=35, blank=True, help_text="of the text that they read; empty: that of the corpus"
    )
    given_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        constraints = [unique("one_standing_consent_a_form", "user", "form", where=Q(withdrawn_at=None))]


class Background(models.Model):
    """A person's optional answers about their background. Only counts over many people leave the database.

    An empty text is an unanswered question. The row is deleted with the answers or with the account.
    """

    user = models.OneToOneField(User, on_delete=models.PROTECT, related_name="background")
    age = models.CharField(max_length=20, blank=True)
    gender = models.CharField(max_length=20, blank=True)
    first_language = models.CharField(max_length=20, blank=True)
    education = models.CharField(max_length=20, blank=True)
    region = models.CharField(max_length=20, blank=True)
    told_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            check(f"background_{field}_is_known", Q(**{f"{field}__in": ["", *answers]}))
            for field, (_, answers) in QUESTIONS.items()
        ]


class Qualification(models.Model):
    """A qualification that certain work requires."""

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown; how people get it")

    def __str__(self) -> str:
        return self.name


class Grant(models.Model):
    """One person's qualification. `revoked_at` revokes it, with a reason; rows are never deleted."""

    class How(models.TextChoices):
        INVITATION = "invitation"
        EXAM = "exam"
        LINK = "link", "a link from a platform"

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="grants")
    qualification = models.ForeignKey(Qualification, on_delete=models.PROTECT, related_name="grants")
    how = models.CharField(max_length=10, choices=How.choices)
    granted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    granted_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_because = models.TextField(blank=True)
    revoked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    objects = GrantQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_standing_grant", "user", "qualification", where=Q(revoked_at=None)),
            check("way_of_qualifying_is_known", Q(how__in=["invitation", "exam", "link"])),
            check(
                "grant_revoked_for_a_reason",
                Q(revoked_at=None, revoked_because="")
                | (Q(revoked_at__isnull=False) & ~Q(revoked_because="")),
            ),
        ]


class PlatformIdentity(models.Model):
    """A person's id on an outside platform. It is needed to pay them and never shown beside their work."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="platform_identities")
    platform = models.CharField(max_length=60)
    participant = models.CharField(max_length=200)

    class Meta:
        constraints = [unique("one_person_a_participant", "platform", "participant")]
        verbose_name_plural = "platform identities"


class Submission(models.Model):
    """A request that a person sent with an idempotency key."""

    user = models.ForeignKey(User, on_delete=models.PROTECT)
    key = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("one_submission_a_key", "user", "key")]


class SignInAttempt(models.Model):
    """A sign-in that failed, or whose password is being checked. A success deletes its row."""

    account = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["account", "at"], name="attempts_by_account"),
            models.Index(fields=["address", "at"], name="attempts_by_address"),
        ]


def new_site_key() -> str:
    return secrets.token_urlsafe(32)


class SiteKey(models.Model):
    """A secret that is stored and backed up with the rows that were made with it. Unlike SECRET_KEY it never changes."""

    name = models.CharField(max_length=30, unique=True)
    value = models.CharField(max_length=43, default=new_site_key, editable=False)


# What stands in the header of a browser -> what people call it. The first one found counts: most also name others.
BROWSERS = [
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox")),
    *(("FxiOS", "Firefox"), ("Chrome", "Chrome"), ("CriOS", "Chrome"), ("Safari", "Safari")),
]
DEVICES = [
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("CrOS", "ChromeOS"), ("Mac OS", "Mac"), ("Linux", "Linux")),
]


class SignedIn(models.Model):
    """A browser in which somebody is signed in. A row whose session has ended is deleted."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="browsers")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=45, blank=True)
    browser = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    @property
    def name(self) -> str:
        """Returns browser and device, such as "Chrome, Android"; empty if the browser did not say what it is."""
        told = [
            next((name for mark, name in names if mark in self.browser), "") for names in (BROWSERS, DEVICES)
        ]
        return ", ".join(filter(None, told))


class SavedFilter(models.Model):
    """A filter of a list that a researcher gave a name: the list's path, and the query of its address."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="saved_filters", db_index=False)
    page = models.CharField(max_length=300)
    name = models.CharField(max_length=100)
    query = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            unique("one_saved_filter_a_name", "user", "page", "name"),
            check("saved_filter_says_something", ~Q(name="") & ~Q(query="")),
        ]

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A REST token. Only its digest is stored, so that nobody can use a token read from the database."""

    class Scope(models.TextChoices):
        READ = "read", gettext_lazy("only read")
        WORK = "work", gettext_lazy("only write and judge")
        ALL = "all", gettext_lazy("everything that I may do")

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=4, choices=Scope.choices, default=Scope.ALL)
    role = models.CharField(
        max_length=13, db_default="", editable=False, help_text="the person's, when they made it"
    )
    corpus = models.CharField(
        max_length=60, db_default="", blank=True, help_text="slug of the only corpus it opens; empty: all"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [check("token_scope_is_known", Q(scope__in=["read", "work", "all"]))]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def digest_of(token: str) -> str:
        return hashlib.sha256(token.encode()).hexdigest()
