"""How long lists are paged in the REST interface."""

from rest_framework.pagination import CursorPagination


class NewestFirst(CursorPagination):
    """Pages by key: what is added while somebody reads shifts nothing."""

    ordering = "-id"
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
