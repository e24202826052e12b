"""People in the dashboard. Researchers see pseudonyms; administrators make accounts and see names."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.dashboard import ResearcherAdmin, is_administrator
from accounts.models import Consent, ConsentForm, LedgerEntry, User
from accounts.templatetags.money import dollars

PERSONAL_FIELDS = ("username", "email")

admin.site.unregister(Group)  # roles decide


class PersonCreationForm(UserCreationForm):
    class Meta:
        model = User
        fields = ("username", "role")


@admin.register(User)
class PersonAdmin(ResearcherAdmin, UserAdmin):
    form = UserChangeForm
    add_form = PersonCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("code", "role", "kind", "is_active", "last_login")
    list_filter = ("role", "kind", "is_active")
    ordering = ("-pk",)
    filter_horizontal = ()
    readonly_fields = ("code", "kind", "last_login", "date_joined")
    fieldsets = ((None, {"fields": ("code", "role", "kind", "is_active", "last_login", "date_joined")}),)
    add_fieldsets = ((None, {"fields": ("username", "role", "password1", "password2")}),)

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
        """Nobody takes the administrator's role from themselves: the last one would lock everybody out."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "role", "is_active") if obj == request.user else fields

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return ("code", *PERSONAL_FIELDS) if is_administrator(request) else ("code",)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """A filter in the address (`?username__startswith=a`) would tell researchers the names."""
        if lookup.split("__")[0] in PERSONAL_FIELDS and not is_administrator(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.is_superuser = obj.role == User.Role.ADMINISTRATOR
        super().save_model(request, obj, form, change)


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ResearcherAdmin):
    list_display = ("created_at", "user", "amount", "reason")
    list_select_related = ("user",)
    search_fields = ("user__code",)
    ordering = ("-pk",)

    @admin.display(description="amount", ordering="cents")
    def amount(self, entry: LedgerEntry) -> str:
        return dollars(entry.cents)


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
