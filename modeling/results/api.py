"""REST: the predictions of a run."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from accounts.rest.permissions import IsResearcher
from accounts.rest.problems import Problem
from modeling.models import TrainingRun
from modeling.results.predictions import BadPlace, PredictionsMissing, predictions
from modeling.results.serializers import PredictionsQuery, PredictionsSerializer


class RunPredictionsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="A run's predictions, in the order of the snapshot's file",
        parameters=[PredictionsQuery],
        responses=PredictionsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun, pk=pk)
        given = PredictionsQuery.read(request)
        try:
            found = predictions(run, given["partition"], given["cursor"], given["page_size"])
        except BadPlace as error:
            raise Problem(status=422, detail=str(error), errors={"cursor": str(error)}) from error
        except PredictionsMissing as error:
            raise Problem(status=404, detail=str(error)) from error
        address = request.build_absolute_uri()
        following = None if found.next is None else replace_query_param(address, "cursor", found.next)
        return Response({"next": following, "results": found.rows})
