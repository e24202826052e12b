from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ValidationConfig(AppConfig):
    name = "validation"

    def ready(self) -> None:
        from collection.joining.visits import OFFERS, WORK
        from validation.gold import sql_view
        from validation.labelling.submitting import batches_done
        from validation.start_page.offers import has_offer

        WORK.append(batches_done)
        OFFERS.append(has_offer)
        pre_migrate.connect(sql_view.drop, sender=self)
        post_migrate.connect(sql_view.create, sender=self)
