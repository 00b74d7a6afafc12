"""A provider corrects what is known of its models."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agentcore', '0004_fallback_after_text'),
    ]

    operations = [
        migrations.AddField(
            model_name='provider',
            name='profile',
            field=models.JSONField(blank=True, default=dict, verbose_name='profile'),
        ),
    ]
