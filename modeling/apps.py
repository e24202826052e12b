from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"

    def ready(self) -> None:
        from modeling.results.doubts import doubts_of, runs_with_predictions
        from validation.pairs.doubts import DOUBTS, RUNS

        DOUBTS.append(doubts_of)
        RUNS.append(runs_with_predictions)
