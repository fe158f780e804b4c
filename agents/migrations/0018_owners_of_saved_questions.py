from django.db import migrations
from django.db.models import F


def tell_owner_and_scheduler_apart(apps, schema_editor):
    """Until now whoever set the schedule became the owner. Who saved it is known by its run: only an asker may save."""
    saved = apps.get_model('agents', 'SavedQuestion')
    for one in saved.objects.exclude(owner=None).select_related('owner'):
        saved.objects.filter(pk=one.pk).update(time_zone=one.owner.time_zone)
    saved.objects.exclude(cadence='').update(scheduled_by=F('owner'))
    known = saved.objects.exclude(owner=None).exclude(run=None)
    for one in known.exclude(run__question__thread__owner__username='deleted-person'):
        saved.objects.filter(pk=one.pk).update(owner=one.run.question.thread.owner)


def make_the_scheduler_the_owner(apps, schema_editor):
    """For the way back: the version before runs a schedule with the rights and at the clock of the owner."""
    apps.get_model('agents', 'SavedQuestion').objects.exclude(cadence='').update(owner=F('scheduled_by'))


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0017_who_set_the_schedule'),
        ('connections', '0008_time_zones'),
    ]

    operations = [
        migrations.RunPython(tell_owner_and_scheduler_apart, make_the_scheduler_the_owner),
    ]
