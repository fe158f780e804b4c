from django.db import migrations, models

import connections.time_zones


class Migration(migrations.Migration):

    dependencies = [
        ('connections', '0007_note_changes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='user',
            name='time_zone',
            field=models.CharField(default='UTC', max_length=64, validators=[connections.time_zones.check_name]),
        ),
    ]
