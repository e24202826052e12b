from django.apps import AppConfig
from django.db.models import TextField

from shared.text_lookups import HasWords


class CollectionConfig(AppConfig):
    name = "collection"

    def ready(self) -> None:
        TextField.register_lookup(HasWords)
