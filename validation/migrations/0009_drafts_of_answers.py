import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("validation", "0008_one_label_a_model_and_pair")]

    operations = [
        migrations.CreateModel(
            name="DraftAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slot", models.CharField(max_length=22)),
                ("label", models.CharField(blank=True, max_length=20)),
                ("skip_reason", models.CharField(blank=True, max_length=10)),
                ("reason", models.TextField(blank=True)),
                ("active_ms", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="validation.assignment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("assignment", "slot"), name="one_draft_a_place_in_batch")
                ],
            },
        ),
    ]
