import django.db.models.deletion
from django.db import migrations, models


def forget_what_has_no_connection(apps, schema_editor):
    """For the way back: the version before deletes a connection's questions with it, and has no place for them."""
    apps.get_model('agents', 'RegressionQuestion').objects.filter(connection=None).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0013_votes_of_systems'),
        ('connections', '0007_note_changes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='evaluation',
            name='connection',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='evaluations', to='connections.connection'),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='connection_name',
            field=models.CharField(blank=True, default='', max_length=100),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='evaluation',
            name='kept_for',
            field=models.ManyToManyField(related_name='+', to='connections.team'),
        ),
        migrations.AlterField(
            model_name='regressionquestion',
            name='connection',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='regression_set', to='connections.connection'),
        ),
        migrations.AddField(
            model_name='regressionquestion',
            name='connection_name',
            field=models.CharField(blank=True, default='', max_length=100),
            preserve_default=False,
        ),
        migrations.RunPython(migrations.RunPython.noop, forget_what_has_no_connection),
    ]
