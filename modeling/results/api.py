"""REST: the predictions of a run."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, problems
from modeling.models import TrainingRun
from modeling.results.predictions import (
    IN_FILE,
    BadChoice,
    BadPlace,
    PredictionsMissing,
    asked_choice,
    asked_predictions,
    flat,
)
from modeling.results.serializers import PredictionsQuery, PredictionsSerializer


class RunPredictionsView(ResearcherView):
    @extend_schema(
        summary="A run's predictions with the texts of the pairs",
        description="Those that fit, in the order of the snapshot's file unless `sort` says otherwise. Each dimension of "
        "`evaluate --by` is a parameter, too; one of your own is `file:NAME`.",
        parameters=[PredictionsQuery],
        responses=PredictionsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
        checked = PredictionsQuery.read(request)
        given = {"sort": IN_FILE, **request.query_params.dict()}
        try:
            with problems({BadPlace: "cursor", PredictionsMissing: 404}):
                predictions = asked_predictions(run, checked["partition"], given)
                page = predictions.page(asked_choice(given), checked.get("cursor", ""), checked["page_size"])
        except BadChoice as error:
            raise Problem(status=422, detail=str(error), errors={error.key: str(error)}) from error
        address = request.build_absolute_uri()
        following = replace_query_param(address, "cursor", page.next) if page.next else None
        return Response({"next": following, "pairs": page.pairs, "results": [flat(row) for row in page.rows]})
