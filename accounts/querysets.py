"""Querysets of people."""

from django.contrib.auth.models import UserManager
from django.db import models
from django.db.models import F, Q


class UserQuerySet(models.QuerySet):
    def people(self) -> "UserQuerySet":
        """Returns real people: no simulated annotators, no annotators of imported corpora."""
        return self.filter(kind="person")

    def imported(self) -> "UserQuerySet":
        """Returns annotators of imported corpora, those of a simulated crowd too: nobody can sign in as one of them."""
        return self.filter(Q(kind="imported") | Q(kind="simulated", username=F("code")))

    def annotators(self) -> "UserQuerySet":
        return self.filter(role="annotator")


class QuintetUserManager(UserManager.from_queryset(UserQuerySet)):  # type: ignore[misc]
    """Django's manager, so that `createsuperuser` makes an administrator."""

    def create_superuser(self, username, email=None, password=None, **fields):  # type: ignore[no-untyped-def]
        fields.setdefault("role", "administrator")
        return super().create_superuser(username, email, password, **fields)

    def _create_user_object(self, username, email, password, **fields):  # type: ignore[no-untyped-def]
        # Django's manager passes is_staff, which follows from the role here and has no setter.
        fields.pop("is_staff", None)
        return super()._create_user_object(username, email, password, **fields)


class GrantQuerySet(models.QuerySet):
    def standing(self) -> "GrantQuerySet":
        return self.filter(revoked_at=None)

    def ended(self) -> "GrantQuerySet":
        """Keeps what a researcher revoked; by a rule of the corpus, people take the exam again."""
        return self.filter(revoked_at__isnull=False, revoked_by__isnull=False)

    def is_held(self, user: models.Model, qualification_id: int | None) -> bool:
        """Returns whether a person holds a qualification; True if None is required."""
        return qualification_id is None or (
            self.standing().filter(user=user.pk, qualification=qualification_id).exists()
        )


class ConsentQuerySet(models.QuerySet):
    def given_by(self, user: models.Model) -> "ConsentQuerySet":
        return self.filter(user=user, withdrawn_at=None)

    def is_given(self, user: models.Model, form_id: int | None) -> bool:
        """Returns whether a person agrees to a form; True if there is no form."""
        return form_id is None or self.given_by(user).filter(form=form_id).exists()
