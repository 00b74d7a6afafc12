"""An agent says what becomes of an answer whose route fails in the middle of it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agentcore', '0003_run_labels'),
    ]

    operations = [
        migrations.AddField(
            model_name='agentprofile',
            name='fallback_after_text',
            field=models.CharField(choices=[('fail', 'Keep the text and say what went wrong'), ('restart', 'Take the text back and start again on the next route')], default='fail', max_length=16, verbose_name='when a route fails in mid-answer'),
        ),
    ]
