from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0012_exact_costs_of_cases'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluationsystem',
            name='samples',
            field=models.PositiveSmallIntegerField(default=1),
        ),
    ]
