from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ValidationConfig(AppConfig):
    name = "validation"

    def ready(self) -> None:
        from collection.joining.visits import WORK
        from validation.gold import sql_view
        from validation.labelling.submitting import batches_done

        WORK.append(batches_done)
        pre_migrate.connect(sql_view.drop, sender=self)
        post_migrate.connect(sql_view.create, sender=self)
