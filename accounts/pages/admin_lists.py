"""Base classes of the admin lists: who may look, and who may edit."""

from collections.abc import Callable
from typing import Any

from django.contrib.admin.filters import FieldListFilter, RelatedFieldListFilter
from django.db.models import Model, Q
from django.http import Http404, HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from accounts.models import User


def is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_researcher


def is_administrator(request: HttpRequest) -> bool:
    return is_researcher(request) and request.user.role == User.Role.ADMINISTRATOR  # type: ignore[union-attr]


# Model (accounts.user) -> what a researcher sees of its rows. The apps above know to which corpora rows belong.
SEEN: dict[str, Callable[[User], Q]] = {}


def seen_rows(rows: Any, request: HttpRequest) -> Any:
    """Returns those of the rows that who asks may see; none of a model that SEEN does not name."""
    if is_administrator(request):
        return rows
    of = SEEN.get(rows.model._meta.label_lower)
    return rows.none() if of is None or not is_researcher(request) else rows.filter(of(request.user))  # type: ignore[arg-type]


class SeenRelatedFilter(RelatedFieldListFilter):
    """A filter by a related row, such as the corpus: offers the rows that who asks may see."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        order = self.field_admin_ordering(field, request, model_admin)
        rows = seen_rows(field.remote_field.model._default_manager.all(), request)
        return [(row.pk, str(row)) for row in (rows.order_by(*order) if order else rows)]


FieldListFilter.register(lambda field: bool(field.remote_field), SeenRelatedFilter, take_priority=True)


class ResearcherAdmin(ModelAdmin):
    """Lets researchers look at what they may see (SEEN), and nobody edit. A list that can be edited overrides one method.

    Roles decide. Django's permissions and groups are not used, so that they cannot contradict roles.
    """

    # Fields that researchers must not find out by a filter in the address (`?session__startswith=a`).
    hidden_lookups: tuple[str, ...] = ()
    show_full_result_count = False  # a second COUNT over a large table, on every page

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        if lookup.split("__")[0] in self.hidden_lookups and not is_administrator(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_queryset(self, request: HttpRequest) -> Any:
        return seen_rows(super().get_queryset(request), request)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        rows = options.get("queryset", db_field.remote_field.model._default_manager.all())
        return super().formfield_for_foreignkey(
            db_field, request, **{**options, "queryset": seen_rows(rows, request)}
        )

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> Any:
        """Answers as every other page does where there is no such row, or none for who asks."""
        raise Http404

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
