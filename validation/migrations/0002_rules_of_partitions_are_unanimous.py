"""A partition has its own seats and threshold only under a question whose gold rule is "unanimous"."""

from django.db import migrations, models

import shared.constraints


class Migration(migrations.Migration):

    dependencies = [
        ('validation', '0001_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='partitionrule',
            name='gold_rule',
            field=models.CharField(default='unanimous', editable=False, help_text='that of the question', max_length=20),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(fields=('id', 'gold_rule'), name='question_with_its_gold_rule'),
        ),
        migrations.AddConstraint(
            model_name='partitionrule',
            constraint=models.CheckConstraint(condition=models.Q(('gold_rule', 'unanimous')), name='partition_rule_is_unanimous'),
        ),
        migrations.AddConstraint(
            model_name='partitionrule',
            constraint=shared.constraints.RowExists(columns=('question_id', 'gold_rule'), name='partition_rule_is_that_of_its_question', to='validation_question', to_columns=('id', 'gold_rule')),
        ),
    ]
