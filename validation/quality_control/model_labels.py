"""Labels of models: stored beside what people say, in no seat."""

from collections.abc import Mapping

from collection.models import Pair
from shared.transactions import one_transaction
from validation.errors import WrongLabel
from validation.models import Label, Question
from validation.quality_control.control_items import label_without_seat


@one_transaction
def keep_model_labels(*, question: Question, model: str, labels: Mapping[Pair, tuple[str, str]]) -> int:
    """Keeps what a model says beside what people say: pair -> (label, reason). It has no seat and counts nowhere.

    Returns how many are new: what the model said of a pair before stays, and saying it again does nothing. Raises
    WrongLabel (public id -> why): for a label outside the scheme, and where the model had said something else, for
    then it is another model.
    """
    model = model.strip()
    if not model:
        raise WrongLabel({"model": "Please name the model."})
    Question.objects.select_for_update().get(pk=question.pk)  # two files at once stand in line
    theirs = Label.objects.standing().filter(question=question, origin=Label.Origin.MODEL, model=model)
    known = dict(theirs.filter(pair__in=labels).values_list("pair", "label"))
    errors = {}
    for pair, (label, _) in labels.items():
        if label not in question.labels:
            errors[pair.public_id] = _unknown(question, label)
        elif known.get(pair.pk, label) != label:
            errors[pair.public_id] = f"{model} said {known[pair.pk]} before. Another model has another name."
    if errors:
        raise WrongLabel(errors)
    new = [
        label_without_seat(question, pair, label, Label.Origin.MODEL, model=model, reason=reason)
        for pair, (label, reason) in labels.items()
        if pair.pk not in known
    ]
    return len(Label.objects.bulk_create(new, batch_size=2000))


def _unknown(question: Question, label: str) -> str:
    return f"{label!r} is no label here. Use one of: {', '.join(question.labels)}."
