"""Columns and indexes by which records are found."""

import django.db.models.functions.comparison
from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform


def fill_tool(apps, schema_editor):
    """Events that were kept before the column was there name their tool in the payload only."""
    events = apps.get_model('governance', 'AuditEvent').objects.using(schema_editor.connection.alias)
    named = events.filter(action__in=['tool_call', 'tool_result', 'approval'], payload__tool__isnull=False)
    named.update(tool=KeyTextTransform('tool', 'payload'))


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0001_ledger'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='auditevent',
            name='audit_event_by_time',
        ),
        migrations.RemoveIndex(
            model_name='auditevent',
            name='audit_event_by_action',
        ),
        migrations.RemoveIndex(
            model_name='turn',
            name='turn_by_model',
        ),
        migrations.AddField(
            model_name='auditevent',
            name='tool',
            field=models.CharField(blank=True, max_length=128, verbose_name='tool'),
        ),
        migrations.AddField(
            model_name='turn',
            name='route_model',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.NullIf(models.F('model'), models.Value('')), models.F('requested_model')), output_field=models.CharField(max_length=200)),
        ),
        migrations.AddField(
            model_name='turn',
            name='route_provider_id',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce(django.db.models.functions.comparison.NullIf(models.F('provider_id'), models.Value('')), models.F('requested_provider_id')), output_field=models.CharField(max_length=64)),
        ),
        migrations.RunPython(fill_tool, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['-run_id', 'seq'], name='audit_event_by_turn'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['action', '-run_id', 'seq'], name='audit_event_by_action'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['actor', '-run_id', 'seq'], name='audit_event_by_actor'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['tool', '-run_id', 'seq'], name='audit_event_by_tool'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['user_id', 'started_at', 'run_id'], name='turn_by_user_id'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['agent', 'started_at', 'run_id'], name='turn_by_agent'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['route_provider_id', 'started_at', 'run_id'], name='turn_by_provider'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['route_model', 'started_at', 'run_id'], name='turn_by_model'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['error_code', 'started_at', 'run_id'], name='turn_by_error'),
        ),
        migrations.AddIndex(
            model_name='turn',
            index=models.Index(fields=['conversation_id', 'started_at', 'run_id'], name='turn_by_conversation'),
        ),
    ]
