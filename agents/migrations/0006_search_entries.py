from django.db import migrations

from agents.answers.program import tables_of
from agents.library.search_index import BATCH, CHARACTERS, folded


def fill(apps, schema_editor):
    """Entries for the runs that are there already."""
    Run, SearchEntry = apps.get_model("agents", "Run"), apps.get_model("agents", "SearchEntry")
    runs = Run.objects.select_related("question__asked_by", "question__thread").order_by("question", "-created_at")
    entries, last = [], None
    for run in runs.iterator(BATCH):
        asker, question = run.question.asked_by, run.question
        parts = (question.text, run.answer, *tables_of(run.program), asker.first_name, asker.last_name, asker.username)
        entries.append(SearchEntry(
            run=run, owner_id=question.thread.owner_id, connection_id=question.thread.connection_id, status=run.status,
            cost=run.cost, asked_at=question.created_at, newest=run.question_id != last,
            words=folded(" ".join(parts))[:CHARACTERS],
        ))
        last = run.question_id
    SearchEntry.objects.bulk_create(entries, BATCH)


class Migration(migrations.Migration):

    dependencies = [("agents", "0005_search_index")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
