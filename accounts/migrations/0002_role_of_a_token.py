from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def todays_role(apps, schema_editor):
    """Whoever changed a role with an action ended the tokens: those that are there are of today's."""
    role = apps.get_model('accounts', 'User').objects.filter(pk=OuterRef('user')).values('role')
    apps.get_model('accounts', 'ApiToken').objects.update(role=Subquery(role))


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_schema'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='role',
            field=models.CharField(db_default='', editable=False, help_text="the person's, when they made it", max_length=13),
        ),
        migrations.RunPython(todays_role, migrations.RunPython.noop),
    ]
