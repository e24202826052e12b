"""Labels of models. They have no seat and never count."""

from collections.abc import Mapping

from collection.models import Pair
from collection.texts import visible
from shared.transactions import one_transaction
from validation.errors import WrongLabel
from validation.models import Label, Question
from validation.quality_control.control_items import label_without_seat


@one_transaction
def keep_model_labels(*, question: Question, model: str, labels: Mapping[Pair, tuple[str, str]]) -> int:
    """Stores the labels of a model: pair -> (label, reason). They have no seat and never count.

    Returns the number of new labels; storing a label again does nothing. Raises WrongLabel (public id -> why) for a
    label outside the scheme, and if the model gave the pair another label before: a different model needs a
    different name.
    """
    model = model.strip()
    if not model:
        raise WrongLabel({"model": "Please name the model."})
    Question.objects.select_for_update().get(pk=question.pk)  # two imports at once wait for each other
    theirs = Label.objects.standing().filter(question=question, origin=Label.Origin.MODEL, model=model)
    known = dict(theirs.filter(pair__in=labels).values_list("pair", "label"))
    errors = {}
    for pair, (label, _) in labels.items():
        if label not in question.labels:
            errors[pair.public_id] = _unknown(question, label)
        elif known.get(pair.pk, label) != label:
            errors[pair.public_id] = (
                f"{model} gave the label {known[pair.pk]} before. Please give a new version of the model another name."
            )
    if errors:
        raise WrongLabel(errors)
    new = [
        label_without_seat(question, pair, label, Label.Origin.MODEL, model=model, reason=visible(reason))
        for pair, (label, reason) in labels.items()
        if pair.pk not in known
    ]
    return len(Label.objects.bulk_create(new, batch_size=2000))


def _unknown(question: Question, label: str) -> str:
    return f"{label!r} is not a label of this question. Use one of: {', '.join(question.labels)}."
