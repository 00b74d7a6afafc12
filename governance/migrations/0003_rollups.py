"""What the turns of a day add up to."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0002_filters'),
    ]

    operations = [
        migrations.CreateModel(
            name='UsageDay',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False, verbose_name='day')),
                ('zone', models.CharField(max_length=64, verbose_name='time zone')),
                ('is_closed', models.BooleanField(default=False, verbose_name='closed')),
            ],
            options={
                'verbose_name': 'day of usage',
                'verbose_name_plural': 'days of usage',
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='DailyModelUsage',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('currency', models.CharField(max_length=3, verbose_name='currency')),
                ('turns', models.PositiveIntegerField(verbose_name='turns')),
                ('running', models.PositiveIntegerField(verbose_name='running')),
                ('failed', models.PositiveIntegerField(verbose_name='failed')),
                ('unpriced', models.PositiveIntegerField(verbose_name='unpriced')),
                ('input_tokens', models.PositiveBigIntegerField(verbose_name='input tokens')),
                ('cached_input_tokens', models.PositiveBigIntegerField(verbose_name='cached input tokens')),
                ('output_tokens', models.PositiveBigIntegerField(verbose_name='output tokens')),
                ('reasoning_tokens', models.PositiveBigIntegerField(verbose_name='reasoning tokens')),
                ('cost', models.DecimalField(decimal_places=10, max_digits=24, null=True, verbose_name='cost')),
                ('provider_id', models.CharField(blank=True, max_length=64, verbose_name='provider')),
                ('model', models.CharField(blank=True, max_length=200, verbose_name='model')),
                ('day', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='by_model', to='governance.usageday')),
            ],
            options={
                'verbose_name': 'usage of a model in a day',
                'verbose_name_plural': 'usage of models by day',
                'abstract': False,
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='DailyUserUsage',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('currency', models.CharField(max_length=3, verbose_name='currency')),
                ('turns', models.PositiveIntegerField(verbose_name='turns')),
                ('running', models.PositiveIntegerField(verbose_name='running')),
                ('failed', models.PositiveIntegerField(verbose_name='failed')),
                ('unpriced', models.PositiveIntegerField(verbose_name='unpriced')),
                ('input_tokens', models.PositiveBigIntegerField(verbose_name='input tokens')),
                ('cached_input_tokens', models.PositiveBigIntegerField(verbose_name='cached input tokens')),
                ('output_tokens', models.PositiveBigIntegerField(verbose_name='output tokens')),
                ('reasoning_tokens', models.PositiveBigIntegerField(verbose_name='reasoning tokens')),
                ('cost', models.DecimalField(decimal_places=10, max_digits=24, null=True, verbose_name='cost')),
                ('username', models.CharField(blank=True, max_length=150, verbose_name='user')),
                ('day', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='by_user', to='governance.usageday')),
            ],
            options={
                'verbose_name': 'usage of a person in a day',
                'verbose_name_plural': 'usage of people by day',
                'abstract': False,
                'default_permissions': (),
            },
        ),
    ]
