"""Roll-ups of one person are found in an index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_rollups'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='dailyuserusage',
            index=models.Index(fields=['day', 'username'], name='daily_user_usage_by_user'),
        ),
    ]
