"""REST: every figure at `…/figures/NAME`, as JSON or as a file, and the list of those of a corpus, snapshot or run."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem
from schemas.base import SchemaErrors, checked, dotted
from shared.figures import FIGURES, FILES, Figure, Parameters, Shown

SVG = "svg"
FORMS = (*FILES, SVG)
RETRY_AFTER = 5  # seconds after which a program asks again for what a worker counts
AS = OpenApiParameter(
    "as",
    enum=FORMS,
    description="json (the default): the finding (`title`), columns with their definitions, rows of raw values, and what is"
    " drawn; csv and latex: a file; svg: a page that draws the picture and saves it, for a browser (406 to programs)",
)


class FigureSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField(help_text="what it shows, and where a paper has it")
    parameters = serializers.ListField(child=serializers.CharField())
    url = serializers.CharField()


class _FiguresView(ResearcherView):
    scope = ""  # name of the scopes that begin with the same path

    def figures(self) -> dict[str, Figure]:
        return {name: figure for name, figure in FIGURES.items() if figure.scope.name == self.scope}

    def found(self, request: Request, name: str, place: dict[str, Any]) -> tuple[Figure, Any, Parameters]:
        """Returns the figure, its subject and its parameters. Raises Problem (404, 422), Http404."""
        figure = self.figures().get(name)
        if figure is None:
            raise Problem(status=404, detail=f"There is no figure {name!r} here. See the list of figures.")
        asked = request.query_params.dict()
        asked.pop("as", None)
        subject = figure.scope.find(asked, **place)
        asked = {key: value for key, value in asked.items() if key not in figure.scope.asks}
        try:
            return figure, subject, checked(figure.parameters, asked)
        except SchemaErrors as wrong:
            errors = {dotted(each.place): f"{each.what}." for each in wrong.errors}
            raise Problem(status=422, detail=wrong.sentences("Parameters"), errors=errors) from None


class FigureView(_FiguresView):
    @extend_schema(
        summary="A figure",
        description="What a worker has to count first is a 404 until a POST to this address requests it, then a 202 with"
        " `retry_after` (seconds). `parameters` of the list of figures says what else the query may have.",
        parameters=[AS],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, name: str, **place: Any) -> HttpResponseBase:
        form = request.query_params.get("as", "json")
        if form not in FORMS:
            error = f"There is no form {form!r} of a figure. Known: {', '.join(FORMS)}."
            raise Problem(status=422, detail=error, errors={"as": error})
        figure, subject, parameters = self.found(request, name, place)
        data, row = figure.stored(subject, parameters)
        if data is None:
            return _not_yet(row)
        made = figure.table(data, **dict(parameters)) if form == "csv" else None
        made = made or figure.shown(subject, data, parameters)
        if made is None:
            raise Problem(status=404, detail="There is nothing to show yet.")
        if form == "json":
            return Response({**made.as_json(), "made_at": getattr(row, "made_at", None)})
        if form == SVG:
            return _picture(request, Shown(figure, made, figure.address(subject, parameters)))
        _, ending, kind, write = FILES[form]
        answer = HttpResponse(write(made), content_type=f"{kind}; charset=utf-8")
        file = f"{figure.scope.file(subject)}-{name}.{ending}"
        answer["Content-Disposition"] = f'attachment; filename="{file}"'
        return answer

    @extend_schema(
        summary="Request what a figure is counted from", request=None, responses={202: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, name: str, **place: Any) -> Response:
        figure, subject, parameters = self.found(request, name, place)
        if not figure.source:
            raise Problem(status=409, detail="This figure needs no worker: a GET computes it.")
        figure.scope.request(subject, figure.source_of(parameters), parameters)
        return _counting()


class FigureListView(_FiguresView):
    @extend_schema(summary="The figures", responses=FigureSerializer(many=True))
    def get(self, request: Request, **place: Any) -> Response:
        here = request.build_absolute_uri(request.path)
        found = [
            {
                "name": name,
                "title": figure.title,
                "parameters": list(figure.parameters.model_fields),
                "url": f"{here}{name}",
            }
            for name, figure in self.figures().items()
        ]
        return Response(FigureSerializer(found, many=True).data)


def figure_paths() -> list[URLPattern]:
    """Returns the addresses of all figures; each scope has two."""
    scopes = {figure.scope.name: figure.scope.path for figure in FIGURES.values()}
    return [
        each
        for name, start in scopes.items()
        for each in (
            path(f"{start}figures/", FigureListView.as_view(scope=name), name=f"api-{name}-figures"),
            path(f"{start}figures/<slug:name>", FigureView.as_view(scope=name), name=f"api-{name}-figure"),
        )
    ]


def _picture(request: Request, shown: Shown) -> HttpResponse:
    """Returns a page whose script draws the picture and saves it. Raises Problem (404, 406)."""
    if not shown.table.kind or not shown.table.rows:
        raise Problem(
            status=404, detail="This figure is a table without a picture: ask for csv, json or latex."
        )
    if request._request.get_preferred_type(["application/json", "text/html"]) != "text/html":
        detail = "Pictures are drawn in the browser: open this address in one, and it saves the SVG."
        raise Problem(status=406, detail=f"{detail} What it draws is in the JSON.")
    return render(request._request, "charts/picture.html", {"each": shown})


def _not_yet(row: Any) -> Response:
    """Returns a 202 if a worker counts or will. Raises Problem, a 404, if it does not."""
    if row is not None and row.is_under_way:
        return _counting()
    if row is not None and row.error:
        detail = f"The last computation failed: {row.error} POST to this address to request it again."
        raise Problem(status=404, title="There are no statistics", detail=detail)
    detail = "Nobody has requested these statistics yet. POST to this address, then ask again until they are there."
    raise Problem(status=404, title="There are no statistics yet", detail=detail)


def _counting() -> Response:
    answer = {"why": "A worker computes these statistics. Ask again.", "retry_after": RETRY_AFTER}
    return Response(answer, status=202, headers={"Retry-After": str(RETRY_AFTER)})
