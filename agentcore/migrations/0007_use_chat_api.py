"""Who may ask models without an agent."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('agentcore', '0006_price_tiers'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='run',
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('use_chat_api', 'Can use the chat API')],
                'verbose_name': 'run',
                'verbose_name_plural': 'runs',
            },
        ),
    ]
