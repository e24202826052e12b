import accounts.models
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


def close_seats_of_withdrawn_pairs(apps, schema_editor):
    """They were given to nobody; now they are closed, as they are from now on when a pair is withdrawn."""
    Label = apps.get_model("validation", "Label")
    seats = Label.objects.filter(
        pair__withdrawn_at__isnull=False, label=None, withdrawn_at=None, position__isnull=False
    )
    Label.objects.filter(pk__in=list(seats.values_list("pk", flat=True))).update(
        withdrawn_at=timezone.now(), withdrawn_because="its pair was withdrawn"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_token_scope"),
        ("collection", "0005_exams_of_questions"),
        ("validation", "0005_question_checks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CalibrationAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("order", models.PositiveSmallIntegerField(help_text="its place in the batch")),
                (
                    "token",
                    models.CharField(
                        default=accounts.models.new_token, editable=False, max_length=22, unique=True
                    ),
                ),
                ("answer", models.CharField(blank=True, max_length=20, null=True)),
                ("reason", models.TextField(blank=True, help_text="why, in the annotator's words")),
                ("active_ms", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "skip_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("unclear", "I cannot tell what it means"),
                            ("language", "It is not in the right language"),
                            ("upsetting", "I would rather not read this"),
                            ("other", "Another reason"),
                        ],
                        max_length=10,
                        null=True,
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="CalibrationItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "digest",
                    models.CharField(editable=False, help_text="of premise and hypothesis", max_length=64),
                ),
                ("premise", models.TextField()),
                ("hypothesis", models.TextField()),
                (
                    "scheme",
                    models.CharField(
                        choices=[
                            ("nli3", "nli3: entailment / neutral / contradiction"),
                            ("entailed2", "entailed2: entailed / not-entailed"),
                            ("ordinal5", "ordinal5: 1 / 2 / 3 / 4 / 5"),
                            ("grammar3", "grammar3: none / minor / major"),
                        ],
                        max_length=20,
                    ),
                ),
                ("label", models.CharField(help_text="the expert's", max_length=20)),
                ("comment", models.TextField(blank=True, help_text="why, for researchers")),
                (
                    "is_open",
                    models.BooleanField(default=True, help_text="is it handed out; its answers stay"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QuestionReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("passed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name="assignment",
            name="has_calibration",
            field=models.BooleanField(
                default=False, help_text="some places hold texts from outside the corpus"
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="calibration_percent",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="how many of a hundred places in batches hold a text from outside the corpus",
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("calibration_percent__lte", 100)), name="calibration_share_is_a_share"
            ),
        ),
        migrations.AddField(
            model_name="calibrationanswer",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="calibrationanswer",
            name="assignment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="calibration",
                to="validation.assignment",
            ),
        ),
        migrations.AddField(
            model_name="calibrationitem",
            name="question",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="calibration",
                to="validation.question",
            ),
        ),
        migrations.AddField(
            model_name="calibrationanswer",
            name="item",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="answers",
                to="validation.calibrationitem",
            ),
        ),
        migrations.AddField(
            model_name="questionreading",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="questionreading",
            name="question",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="readings", to="validation.question"
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationitem",
            constraint=models.UniqueConstraint(
                fields=("question", "digest"), name="calibration_item_known_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("label__isnull", True),
                    models.Q(("label__in", ("entailment", "neutral", "contradiction")), ("scheme", "nli3")),
                    models.Q(("label__in", ("entailed", "not-entailed")), ("scheme", "entailed2")),
                    models.Q(("label__in", ("1", "2", "3", "4", "5")), ("scheme", "ordinal5")),
                    models.Q(("label__in", ("none", "minor", "major")), ("scheme", "grammar3")),
                    _connector="OR",
                ),
                name="calibration_label_fits_scheme",
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("premise", ""), _negated=True), models.Q(("hypothesis", ""), _negated=True)
                ),
                name="calibration_item_has_texts",
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationanswer",
            constraint=models.UniqueConstraint(
                fields=("annotator", "item"), name="one_meeting_with_a_calibration_item"
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("answer", None), ("answered_at", None)),
                    models.Q(("answer__isnull", False), ("answered_at__isnull", False)),
                    _connector="OR",
                ),
                name="calibration_answer_has_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="calibrationanswer",
            constraint=models.CheckConstraint(
                condition=models.Q(("answer", None), ("skip_reason", None), _connector="OR"),
                name="calibration_answered_or_skipped",
            ),
        ),
        migrations.AddConstraint(
            model_name="questionreading",
            constraint=models.UniqueConstraint(
                fields=("annotator", "question"), name="one_reading_a_person_and_question"
            ),
        ),
        migrations.RunPython(close_seats_of_withdrawn_pairs, migrations.RunPython.noop),
    ]
