from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("validation", "0007_progress_of_figures")]

    operations = [
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                condition=models.Q(("origin", "model"), ("withdrawn_at", None)),
                fields=("question", "pair", "sentence", "model"),
                name="one_label_a_model_and_pair",
            ),
        ),
    ]
