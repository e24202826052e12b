"""The part of an address that is an id of a published file, in which any character may stand."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class AnyId(StringConverter):
    """Django's `path` takes no line break, and one id with a break would make every list that links to it fail."""

    regex = r"[\s\S]+"


register_converter(AnyId, "id")
