from django.db import migrations, models


def name_kinds(apps, schema_editor):
    """Imports of premises had the name of their kind in the place of a recipe."""
    jobs = apps.get_model('collection', 'PairImportJob').objects.filter(recipe='premises')
    jobs.update(kind='premises', recipe='')


class Migration(migrations.Migration):

    dependencies = [
        ('collection', '0012_corpus_translations'),
    ]

    operations = [
        migrations.AddField(
            model_name='pairimportjob',
            name='kind',
            field=models.CharField(choices=[('pairs', 'import'), ('premises', 'import of premises'), ('scenes', 'pairing by machine'), ('crowd', 'simulated crowd'), ('table', 'missing runs of a table')], default='pairs', max_length=8),
        ),
        migrations.AlterField(
            model_name='pairimportjob',
            name='recipe',
            field=models.CharField(blank=True, help_text='by which pairs are recast; empty: none', max_length=100),
        ),
        migrations.RunPython(name_kinds, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name='pairimportjob',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'pairs'), ('recipe', ''), _connector='OR'), name='only_pairs_have_a_recipe'),
        ),
    ]
