"""A price has tiers for calls with a longer input."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agentcore', '0005_provider_profile'),
    ]

    operations = [
        migrations.CreateModel(
            name='ModelPriceTier',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('above_input_tokens', models.PositiveIntegerField(verbose_name='above input tokens')),
                ('input_per_mtok', models.DecimalField(decimal_places=6, max_digits=14, verbose_name='input, per million tokens')),
                ('output_per_mtok', models.DecimalField(decimal_places=6, max_digits=14, verbose_name='output, per million tokens')),
                ('cached_input_per_mtok', models.DecimalField(blank=True, decimal_places=6, max_digits=14, null=True, verbose_name='cached input, per million tokens')),
                ('cache_write_per_mtok', models.DecimalField(blank=True, decimal_places=6, max_digits=14, null=True, verbose_name='cache write, per million tokens')),
                ('price', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tiers', to='agentcore.modelprice', verbose_name='model price')),
            ],
            options={
                'verbose_name': 'price tier',
                'verbose_name_plural': 'price tiers',
                'ordering': ['price', 'above_input_tokens'],
                'constraints': [models.UniqueConstraint(fields=('price', 'above_input_tokens'), name='model_price_tier_once')],
            },
        ),
    ]
