from django.apps import AppConfig


class ModelingConfig(AppConfig):
    name = "modeling"

    def ready(self) -> None:
        from collection.answering import ASK, FREEZE
        from collection.members.gate import PLACES
        from modeling.results import run_figures
        from modeling.results.doubts import doubts_of, runs_with_predictions
        from modeling.results.forgetting import forget_results
        from modeling.running import asking
        from modeling.watching import baseline_figures, curves
        from shared.figures import register
        from snapshots.withholding.frozen import FORGET
        from validation.pairs.listing import DOUBTS, RUNS

        for room in (run_figures, curves, baseline_figures):
            register(*room.FIGURES)
        FREEZE.append(asking.freeze)
        ASK.append(asking.ask)
        DOUBTS.append(doubts_of)
        RUNS.append(runs_with_predictions)
        FORGET.append(forget_results)
        PLACES["runs/", "pk"], PLACES["runs/", "snapshot_id"] = "snapshots__runs", "snapshots"
