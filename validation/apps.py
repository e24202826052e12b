from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ValidationConfig(AppConfig):
    name = "validation"

    def ready(self) -> None:
        from collection.joining.visits import WORK
        from validation import gold_view
        from validation.offers import batches_done

        WORK.append(batches_done)
        pre_migrate.connect(gold_view.drop, sender=self)
        post_migrate.connect(gold_view.create, sender=self)
