"""Runs have labels that can be translated; no column changes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agentcore', '0002_base_url_any_host'),
    ]

    operations = [
        migrations.AlterField(
            model_name='run',
            name='agent',
            field=models.CharField(max_length=64, verbose_name='agent'),
        ),
        migrations.AlterField(
            model_name='run',
            name='cancel_reason',
            field=models.CharField(blank=True, max_length=16, verbose_name='cancel reason'),
        ),
        migrations.AlterField(
            model_name='run',
            name='config',
            field=models.JSONField(default=dict, verbose_name='configuration'),
        ),
        migrations.AlterField(
            model_name='run',
            name='conversation_id',
            field=models.UUIDField(db_index=True, null=True, verbose_name='conversation'),
        ),
        migrations.AlterField(
            model_name='run',
            name='cost',
            field=models.DecimalField(decimal_places=10, max_digits=20, null=True, verbose_name='cost'),
        ),
        migrations.AlterField(
            model_name='run',
            name='created_at',
            field=models.DateTimeField(auto_now_add=True, verbose_name='created'),
        ),
        migrations.AlterField(
            model_name='run',
            name='currency',
            field=models.CharField(default='USD', max_length=3, verbose_name='currency'),
        ),
        migrations.AlterField(
            model_name='run',
            name='finish_reason',
            field=models.CharField(blank=True, max_length=16, verbose_name='finish reason'),
        ),
        migrations.AlterField(
            model_name='run',
            name='finished_at',
            field=models.DateTimeField(null=True, verbose_name='finished'),
        ),
        migrations.AlterField(
            model_name='run',
            name='model',
            field=models.CharField(blank=True, max_length=200, verbose_name='model'),
        ),
        migrations.AlterField(
            model_name='run',
            name='model_calls',
            field=models.PositiveIntegerField(default=0, verbose_name='model calls'),
        ),
        migrations.AlterField(
            model_name='run',
            name='provider_id',
            field=models.CharField(blank=True, max_length=64, verbose_name='provider'),
        ),
        migrations.AlterField(
            model_name='run',
            name='purpose',
            field=models.CharField(default='chat', max_length=32, verbose_name='purpose'),
        ),
        migrations.AlterField(
            model_name='run',
            name='recorded_at',
            field=models.DateTimeField(null=True, verbose_name='recorded'),
        ),
        migrations.AlterField(
            model_name='run',
            name='requested_model',
            field=models.CharField(blank=True, max_length=200, verbose_name='requested model'),
        ),
        migrations.AlterField(
            model_name='run',
            name='requested_provider_id',
            field=models.CharField(blank=True, max_length=64, verbose_name='requested provider'),
        ),
        migrations.AlterField(
            model_name='run',
            name='started_at',
            field=models.DateTimeField(null=True, verbose_name='started'),
        ),
        migrations.AlterField(
            model_name='run',
            name='status',
            field=models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('waiting_permission', 'waiting for permission'), ('completed', 'completed'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=24, verbose_name='status'),
        ),
        migrations.AlterField(
            model_name='run',
            name='tenant',
            field=models.CharField(blank=True, max_length=100, verbose_name='tenant'),
        ),
        migrations.AlterField(
            model_name='run',
            name='usage',
            field=models.JSONField(default=dict, verbose_name='usage'),
        ),
        migrations.AlterField(
            model_name='run',
            name='username',
            field=models.CharField(max_length=150, verbose_name='user'),
        ),
    ]
