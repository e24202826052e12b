from django.apps import AppConfig


class AnnotationSiteConfig(AppConfig):
    name = "annotation_site"

    def ready(self) -> None:
        from accounts.pages import admin_lists
        from annotation_site.operation import settings_checks  # noqa: F401  (importing registers the checks)
        from annotation_site.researchers import alarm, bias_figures, feedback_figures, looks
        from annotation_site.researchers.coach import words_that_give_away
        from annotation_site.researchers.corpus_bias import bias_of
        from annotation_site.researchers.wages_charts import wages_of
        from annotation_site.workspace import (
            arms,
            finished,
            models_in_the_loop,
            page_figures,
            paper_pairs,
            records,
        )
        from annotation_site.workspace.pipeline import overview_of
        from collection.writing.submitting import GIVE_AWAYS
        from shared.figures import register
        from validation.statistics.cached import COMPUTE, Kind

        admin_lists.SEEN.update(records.SEEN)
        GIVE_AWAYS.append(words_that_give_away)
        register(
            *page_figures.FIGURES,
            *bias_figures.FIGURES,
            alarm.ALARM,
            *feedback_figures.FIGURES,
            finished.FINISHED,
            arms.ARMS,
            looks.LOOKS,
            models_in_the_loop.LOOP,
            paper_pairs.PAPER_PAIRS,
        )
        COMPUTE.update({Kind.BIAS: bias_of, Kind.ALARM: alarm.alarms_of})
        COMPUTE.update({Kind.OVERVIEW: overview_of, Kind.WAGES: wages_of})
        COMPUTE.update({Kind.FINISHED: finished.finished_of, Kind.EXAMPLES: paper_pairs.paper_pairs})
