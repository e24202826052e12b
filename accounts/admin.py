"""Admin lists of people. Researchers see pseudonyms; administrators create accounts and see names."""

from typing import Any, cast

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, Q
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.models import ApiToken, Consent, ConsentForm, Grant, Qualification, User
from accounts.pages.admin_lists import ResearcherAdmin, is_administrator, is_researcher
from accounts.people import qualifications
from accounts.sign_in import second_factor, tokens

PERSONAL_FIELDS = ("username", "email")

admin.site.unregister(Group)  # roles decide
for label in ("account", "mfa", "socialaccount"):
    for theirs in apps.get_app_config(label).get_models():
        if admin.site.is_registered(theirs):  # secrets of a second factor are nobody's to look at
            admin.site.unregister(theirs)


class PersonCreationForm(UserCreationForm):
    class Meta:
        model = User
        fields = ("username", "role")


class NewPasswordForm(AdminPasswordChangeForm):
    """Revokes a person's tokens when an administrator sets their password."""

    def save(self, commit: bool = True) -> Any:
        user = super().save(commit)
        tokens.end_tokens(user=user)
        return user


@admin.register(User)
class PersonAdmin(ResearcherAdmin, UserAdmin):
    form = UserChangeForm
    add_form = PersonCreationForm
    change_password_form = NewPasswordForm
    list_display = ("code", "role", "kind", "is_active", "last_login")
    list_filter = ("role", "kind", "is_active")
    ordering = ("-pk",)
    hidden_lookups = (*PERSONAL_FIELDS, "password")
    filter_horizontal = ()
    readonly_fields = ("code", "kind", "last_login", "date_joined")
    fieldsets = ((None, {"fields": ("code", "role", "kind", "is_active", "last_login", "date_joined")}),)
    add_fieldsets = ((None, {"fields": ("username", "role", "password1", "password2")}),)
    actions = ("reset_second_factor",)

    def has_reset_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request)

    @admin.action(description="Reset the second factor of the selected people", permissions=["reset"])
    def reset_second_factor(self, request: HttpRequest, people: Any) -> None:
        """Removes the second factor of people who lost it; they sign in with the password and set up another."""
        by = cast(User, request.user).code
        reset = [user.code for user in people if second_factor.reset_second_factor(user=user, by=by)]
        if reset:
            messages.success(request, f"Reset, and signed out everywhere: {', '.join(reset)}.")
        else:
            messages.info(request, "None of them has a second factor.")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return is_administrator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_administrator(request)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or not is_administrator(request):
            return fieldsets
        return (("The person", {"fields": (*PERSONAL_FIELDS, "password")}), *fieldsets)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Keeps administrators from taking their own role away: the last one would lock everybody out."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "role", "is_active") if obj == request.user else fields

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return ("code", *PERSONAL_FIELDS) if is_administrator(request) else ("code",)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Saves a person. Another role, or another answer to whether they may sign in, ends what was given out before.

        What was given out under another role is refused anyway (User.get_session_auth_hash, ApiToken.role).
        """
        obj.is_superuser = obj.role == User.Role.ADMINISTRATOR
        super().save_model(request, obj, form, change)
        if change and {"role", "is_active"} & set(form.changed_data):
            tokens.end_access(obj)
            messages.info(
                request, f"{obj.code} is signed out everywhere, and their tokens for programs are revoked."
            )


@admin.register(ApiToken)
class ApiTokenAdmin(ResearcherAdmin):
    """Shows administrators all tokens; deleting one revokes it."""

    list_display = ("user", "name", "scope", "created_at", "expires_at")
    list_select_related = ("user",)
    list_filter = ("scope",)
    search_fields = ("user__code",)
    fields = ("user", "name", "scope", "created_at", "expires_at")
    ordering = ("-pk",)
    hidden_lookups = ("digest",)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_administrator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_administrator(request)


@admin.register(Qualification)
class QualificationAdmin(ResearcherAdmin):
    list_display = ("name", "slug", "holders")
    search_fields = ("slug", "name")
    ordering = ("slug",)

    def get_queryset(self, request: HttpRequest) -> Any:
        standing = Count("grants", filter=Q(grants__revoked_at=None))
        return super().get_queryset(request).annotate(holders=standing)

    @admin.display(description="people who hold it", ordering="holders")
    def holders(self, qualification: Any) -> int:
        return qualification.holders


class InvitationForm(forms.ModelForm):
    """Invites people by their codes, one per line."""

    codes = forms.CharField(
        label="Codes of the people", widget=forms.Textarea(attrs={"rows": 5}), help_text="One per line."
    )

    class Meta:
        model = Grant
        fields = ("qualification",)

    def clean_codes(self) -> list[User]:
        wanted = list(dict.fromkeys(self.cleaned_data["codes"].split()))
        found = {user.code: user for user in User.objects.annotators().filter(code__in=wanted)}
        unknown = [code for code in wanted if code not in found]
        if unknown:
            raise forms.ValidationError(
                f"No annotator has the code {', '.join(unknown)}. Correct it: People lists the codes. Nobody was invited."
            )
        return [found[code] for code in wanted]


class RevocationForm(forms.ModelForm):
    class Meta:
        model = Grant
        fields = ("revoked_because",)
        labels = {"revoked_because": "Reason for revoking"}
        help_texts = {"revoked_because": "Stored with the record. The person keeps their texts and pay."}


@admin.register(Grant)
class GrantAdmin(ResearcherAdmin):
    """Lists who holds which qualification. Adding invites people; a reason revokes."""

    list_display = ("user", "qualification", "how", "granted_at", "revoked_at")
    list_filter = ("qualification", "how", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "qualification")
    search_fields = ("user__code",)
    ordering = ("-pk",)
    facts = ("user", "qualification", "how", "granted_by", "granted_at", "revoked_at", "revoked_by")

    def get_form(self, request: HttpRequest, obj: Any = None, **options: Any) -> Any:
        return super().get_form(
            request, obj, **{**options, "form": InvitationForm if obj is None else RevocationForm}
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("qualification", "codes") if obj is None else (*self.facts, "revoked_because")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return () if obj is None else self.facts

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return is_researcher(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_researcher(request) and (obj is None or obj.revoked_at is None)

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        by = cast(User, request.user)
        if change:
            try:
                qualifications.revoke(grant=obj, because=obj.revoked_because, by=by)
            except qualifications.ReasonMissing as problem:
                messages.error(request, str(problem))
            return
        made = [
            qualifications.grant(user=user, qualification=obj.qualification, how=Grant.How.INVITATION, by=by)
            for user in form.cleaned_data["codes"]
        ]
        obj.pk = made[-1].pk  # type: ignore[union-attr]  # the log names the last person invited


@admin.register(Consent)
class ConsentAdmin(ResearcherAdmin):
    list_display = ("user", "form", "given_at", "withdrawn_at")
    list_select_related = ("user", "form")
    list_filter = ("form",)
    search_fields = ("user__code",)
    ordering = ("-pk",)


@admin.register(ConsentForm)
class ConsentFormAdmin(ResearcherAdmin):
    list_display = ("title", "created_at")
    fields = ("title", "text", "digest", "created_at")
    ordering = ("-pk",)
