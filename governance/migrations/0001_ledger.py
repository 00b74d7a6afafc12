
import django.core.serializers.json
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField(verbose_name='run')),
                ('seq', models.PositiveIntegerField(verbose_name='number')),
                ('key', models.CharField(editable=False, max_length=255)),
                ('action', models.CharField(choices=[('request', 'request'), ('tool_call', 'tool call'), ('tool_result', 'tool result'), ('guardrail', 'guardrail'), ('approval', 'approval'), ('stop', 'stop'), ('error', 'error')], max_length=16, verbose_name='action')),
                ('at', models.DateTimeField(verbose_name='time')),
                ('actor', models.CharField(blank=True, max_length=150, verbose_name='actor')),
                ('payload', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='masked payload')),
            ],
            options={
                'verbose_name': 'audit event',
                'verbose_name_plural': 'audit events',
                'ordering': ['run_id', 'seq'],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['at', 'id'], name='audit_event_by_time'), models.Index(fields=['action', 'at', 'id'], name='audit_event_by_action')],
                'constraints': [models.UniqueConstraint(fields=('run_id', 'seq'), name='audit_event_seq_once'), models.UniqueConstraint(fields=('run_id', 'key'), name='audit_event_key_once')],
            },
        ),
        migrations.CreateModel(
            name='ModelCall',
            fields=[
                ('input_tokens', models.PositiveBigIntegerField(default=0, verbose_name='input tokens')),
                ('output_tokens', models.PositiveBigIntegerField(default=0, verbose_name='output tokens')),
                ('cached_input_tokens', models.PositiveBigIntegerField(default=0, verbose_name='cached input tokens')),
                ('cache_write_tokens', models.PositiveBigIntegerField(default=0, verbose_name='cache write tokens')),
                ('reasoning_tokens', models.PositiveBigIntegerField(default=0, verbose_name='reasoning tokens')),
                ('usage_estimated', models.BooleanField(default=False, verbose_name='usage estimated')),
                ('cost', models.DecimalField(decimal_places=10, max_digits=20, null=True, verbose_name='cost')),
                ('currency', models.CharField(default='USD', max_length=3, verbose_name='currency')),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField(verbose_name='run')),
                ('step', models.PositiveIntegerField(verbose_name='step')),
                ('attempt', models.PositiveIntegerField(verbose_name='attempt')),
                ('provider_id', models.CharField(max_length=64, verbose_name='provider')),
                ('model', models.CharField(max_length=200, verbose_name='model')),
                ('outcome', models.CharField(blank=True, max_length=64, verbose_name='outcome')),
                ('finish_reason', models.CharField(blank=True, max_length=16, verbose_name='finish reason')),
                ('prices', models.JSONField(default=dict, verbose_name='prices used')),
                ('first_token_ms', models.PositiveBigIntegerField(null=True, verbose_name='first token (ms)')),
                ('duration_ms', models.PositiveBigIntegerField(null=True, verbose_name='duration (ms)')),
                ('retry_reason', models.CharField(blank=True, max_length=64, verbose_name='retry reason')),
                ('started_at', models.DateTimeField(verbose_name='started')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='finished')),
            ],
            options={
                'verbose_name': 'model call',
                'verbose_name_plural': 'model calls',
                'ordering': ['run_id', 'step', 'attempt'],
                'default_permissions': ('view',),
                'constraints': [models.UniqueConstraint(fields=('run_id', 'step', 'attempt'), name='model_call_once_an_attempt')],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('input_tokens', models.PositiveBigIntegerField(default=0, verbose_name='input tokens')),
                ('output_tokens', models.PositiveBigIntegerField(default=0, verbose_name='output tokens')),
                ('cached_input_tokens', models.PositiveBigIntegerField(default=0, verbose_name='cached input tokens')),
                ('cache_write_tokens', models.PositiveBigIntegerField(default=0, verbose_name='cache write tokens')),
                ('reasoning_tokens', models.PositiveBigIntegerField(default=0, verbose_name='reasoning tokens')),
                ('usage_estimated', models.BooleanField(default=False, verbose_name='usage estimated')),
                ('cost', models.DecimalField(decimal_places=10, max_digits=20, null=True, verbose_name='cost')),
                ('currency', models.CharField(default='USD', max_length=3, verbose_name='currency')),
                ('run_id', models.UUIDField(editable=False, primary_key=True, serialize=False, verbose_name='run')),
                ('user_id', models.CharField(blank=True, max_length=64, verbose_name='user id')),
                ('username', models.CharField(blank=True, max_length=150, verbose_name='user')),
                ('tenant', models.CharField(blank=True, max_length=100, verbose_name='tenant')),
                ('agent', models.CharField(blank=True, max_length=64, verbose_name='agent')),
                ('conversation_id', models.UUIDField(null=True, verbose_name='conversation')),
                ('purpose', models.CharField(blank=True, max_length=32, verbose_name='purpose')),
                ('requested_provider_id', models.CharField(blank=True, max_length=64, verbose_name='requested provider')),
                ('requested_model', models.CharField(blank=True, max_length=200, verbose_name='requested model')),
                ('provider_id', models.CharField(blank=True, max_length=64, verbose_name='provider')),
                ('model', models.CharField(blank=True, max_length=200, verbose_name='model')),
                ('status', models.CharField(choices=[('running', 'running'), ('completed', 'completed'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='running', max_length=16, verbose_name='status')),
                ('finish_reason', models.CharField(blank=True, max_length=16, verbose_name='finish reason')),
                ('cancel_reason', models.CharField(blank=True, max_length=16, verbose_name='cancel reason')),
                ('error_code', models.CharField(blank=True, max_length=64, verbose_name='error code')),
                ('model_calls', models.PositiveIntegerField(default=0, verbose_name='model calls')),
                ('tool_calls', models.PositiveIntegerField(default=0, verbose_name='tool calls')),
                ('started_at', models.DateTimeField(verbose_name='started')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='finished')),
                ('duration_ms', models.PositiveBigIntegerField(null=True, verbose_name='duration (ms)')),
                ('audit_seq', models.PositiveIntegerField(default=1, editable=False)),
            ],
            options={
                'verbose_name': 'turn',
                'verbose_name_plural': 'turns',
                'ordering': ['-started_at', '-run_id'],
                'permissions': [('view_cost', 'Can view what was spent'), ('export', 'Can export records'), ('decide_approval', 'Can decide approvals in the inbox'), ('reveal_content', "Can reveal the text of other people's turns, with a recorded reason")],
                'default_permissions': ('view',),
                'indexes': [models.Index(fields=['started_at', 'run_id'], name='turn_by_time'), models.Index(fields=['username', 'started_at', 'run_id'], name='turn_by_user'), models.Index(fields=['model', 'started_at', 'run_id'], name='turn_by_model'), models.Index(fields=['status', 'started_at', 'run_id'], name='turn_by_status')],
            },
        ),
    ]
