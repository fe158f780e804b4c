import django.db.models.deletion
from django.db import migrations, models


def forget_what_has_no_run(apps, schema_editor):
    """For the way back: the version before knows no notice without a run."""
    apps.get_model('agents', 'Notice').objects.filter(run=None).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0014_kept_without_a_connection'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notice',
            name='run',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.run'),
        ),
        migrations.AddField(
            model_name='notice',
            name='saved',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.savedquestion'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('run__isnull', False), ('saved', None)), models.Q(('run', None), ('saved__isnull', False)), _connector='OR'), name='about_one_thing'),
        ),
        migrations.RunPython(migrations.RunPython.noop, forget_what_has_no_run),
    ]
