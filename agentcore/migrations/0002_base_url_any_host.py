"""A provider may live on a host without a dot; the column stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agentcore", "0001_ground")]

    operations = [
        migrations.AlterField(
            model_name="provider",
            name="base_url",
            field=models.CharField(blank=True, max_length=500, verbose_name="base URL"),
        ),
    ]
