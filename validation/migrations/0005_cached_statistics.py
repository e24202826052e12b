"""The figures that a worker counts become cached statistics; help texts in plainer words."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0001_tables"),
        ("validation", "0004_bias"),
    ]

    operations = [
        migrations.RenameModel("Figures", "CachedStatistics"),
        migrations.RenameField("CachedStatistics", "imports", "changes"),
        migrations.RenameField("CachedStatistics", "imports_counted", "changes_counted"),
        migrations.AlterModelOptions(
            name='cachedstatistics',
            options={'verbose_name_plural': 'cached statistics'},
        ),
        migrations.AlterField(
            model_name='assignment',
            name='has_calibration',
            field=models.BooleanField(default=False, help_text='whether some slots hold calibration items'),
        ),
        migrations.AlterField(
            model_name='batchitem',
            name='lost',
            field=models.BooleanField(default=False, help_text='whether somebody else got the seat before this annotator answered'),
        ),
        migrations.AlterField(
            model_name='cachedstatistics',
            name='by',
            field=models.CharField(blank=True, help_text='the dimension of its groups, if it has any', max_length=20),
        ),
        migrations.AlterField(
            model_name='cachedstatistics',
            name='changes',
            field=models.PositiveIntegerField(default=0, help_text='changes of labels that no closed batch shows: imports, withdrawals, exclusions, adjudications'),
        ),
        migrations.AlterField(
            model_name='cachedstatistics',
            name='changes_counted',
            field=models.PositiveIntegerField(default=0, help_text='`changes` when the last computation began'),
        ),
        migrations.AlterField(
            model_name='cachedstatistics',
            name='kind',
            field=models.CharField(choices=[('agreement', 'agreement'), ('pairwise', 'kappa of every two annotators'), ('annotators', 'statistics and flags of annotators'), ('models', 'models of reliability'), ('cross', 'answers to a question beside gold labels'), ('bias', 'what hypotheses give away')], max_length=10),
        ),
        migrations.AlterField(
            model_name='cachedstatistics',
            name='question',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cached_statistics', to='validation.question'),
        ),
        migrations.AlterField(
            model_name='calibrationanswer',
            name='order',
            field=models.PositiveSmallIntegerField(help_text='its position in the batch'),
        ),
        migrations.AlterField(
            model_name='calibrationitem',
            name='comment',
            field=models.TextField(blank=True, help_text='why the label is right, for researchers'),
        ),
        migrations.AlterField(
            model_name='calibrationitem',
            name='is_open',
            field=models.BooleanField(default=True, help_text='whether batches may contain it; its answers stay'),
        ),
        migrations.AlterField(
            model_name='label',
            name='origin',
            field=models.CharField(choices=[('author', "the author's own label"), ('cast', 'cast by a validator'), ('imported', 'came with a published corpus'), ('expert', "a researcher's label for a control item"), ('model', "a model's label, which never counts")], default='cast', max_length=8),
        ),
        migrations.AlterField(
            model_name='label',
            name='reason',
            field=models.TextField(blank=True, help_text="the annotator's reason for the label"),
        ),
        migrations.AlterField(
            model_name='label',
            name='withdrawn_because',
            field=models.CharField(blank=True, help_text='one of collection/models/withdrawal.py; snapshots publish it', max_length=200),
        ),
        migrations.AlterField(
            model_name='question',
            name='calibration_percent',
            field=models.PositiveSmallIntegerField(default=0, help_text='how many of a hundred slots in batches hold a calibration item'),
        ),
        migrations.AlterField(
            model_name='question',
            name='control_bonus_cents',
            field=models.PositiveIntegerField(default=100, help_text='for the same label as the expert on a control item'),
        ),
        migrations.AlterField(
            model_name='question',
            name='gold_rule',
            field=models.CharField(choices=[('majority', 'majority: the label with at least as many votes as the threshold'), ('adjudicated', 'adjudicated: the majority; a researcher decides if there is none, or if entailment and contradiction share all the votes with at least two each'), ('unanimous', 'unanimous: the label that all votes share, if they are at least as many as the threshold; on the scale of five points, 5 means entailed and 1 to 4 mean not entailed')], default='majority', max_length=20),
        ),
        migrations.AlterField(
            model_name='question',
            name='hides_premise',
            field=models.BooleanField(default=False, help_text='the hypothesis is judged without its premise'),
        ),
        migrations.AlterField(
            model_name='question',
            name='most_labels',
            field=models.PositiveSmallIntegerField(default=100, help_text='the most labels a pair can get when more labels are requested for disputed pairs'),
        ),
        migrations.AlterField(
            model_name='question',
            name='pool_is_open',
            field=models.BooleanField(default=True, help_text='whether every annotator may join, or only invited ones'),
        ),
        migrations.AlterField(
            model_name='question',
            name='qualification',
            field=models.ForeignKey(blank=True, help_text='annotators without an invitation must hold it; an exam grants it', null=True, on_delete=django.db.models.deletion.PROTECT, to='accounts.qualification'),
        ),
        migrations.AlterField(
            model_name='question',
            name='seats',
            field=models.PositiveSmallIntegerField(default=5, help_text="labels per pair, including the author's"),
        ),
    ]
