from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class ValidationConfig(AppConfig):
    name = "validation"

    def ready(self) -> None:
        from collection.joining.estimates import TASKS
        from collection.joining.visits import OFFERS, WORK
        from collection.models.corpora import WORDINGS
        from shared.figures import register
        from validation.gold import sql_view
        from validation.labelling.submitting import batches_done
        from validation.questions.lookup import main_wording
        from validation.start_page.offers import labelling_task, offered_address
        from validation.statistics import (
            agreement_cells,
            agreement_figures,
            agreement_without,
            annotator_figures,
            stock_charts,
        )
        from validation.statistics.cached import COMPUTE, Kind

        WORK.append(batches_done)
        OFFERS.append(offered_address)
        TASKS["labelling"] = labelling_task
        WORDINGS.append(main_wording)
        register(*agreement_figures.FIGURES, *annotator_figures.FIGURES, stock_charts.STOCK)
        register(agreement_cells.CELLS, agreement_without.WITHOUT)
        COMPUTE.update({Kind.CELLS: agreement_cells.cells_of, Kind.WITHOUT: agreement_without.without_each})
        pre_migrate.connect(sql_view.drop, sender=self)
        post_migrate.connect(sql_view.create, sender=self)
