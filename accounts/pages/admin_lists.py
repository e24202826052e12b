"""Base classes of the admin lists: who may look, and who may edit."""

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from accounts.models import User


def is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_researcher


def is_administrator(request: HttpRequest) -> bool:
    return is_researcher(request) and request.user.role == User.Role.ADMINISTRATOR  # type: ignore[union-attr]


class ResearcherAdmin(ModelAdmin):
    """Lets researchers look and nobody edit. A list that can be edited overrides one method.

    Roles decide. Django's permissions and groups are not used, so that they cannot contradict roles.
    """

    # Fields that researchers must not find out by a filter in the address (`?session__startswith=a`).
    hidden_lookups: tuple[str, ...] = ()
    show_full_result_count = False  # a second COUNT over a large table, on every page

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        if lookup.split("__")[0] in self.hidden_lookups and not is_administrator(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        return super().get_object(request, object_id, from_field or None)  # `?_to_field=` names no field

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_researcher(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_researcher(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyInline(TabularInline):
    """Shows rows of another table below an entry."""

    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_researcher(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
