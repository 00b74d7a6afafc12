"""Records that are owed: how they are read."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from agentcore.models import Run, ToolCall
from agentcore.services.records import records_owed

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.mark.parametrize("number", [1, 20])
def test_owed_records_are_one_query_whatever_their_number(django_user_model: Any, number: int) -> None:
    user = django_user_model.objects.create_user("ada")
    ended = now() - timedelta(minutes=1)
    for place in range(number):
        run = Run.objects.create(user=user, username="ada", agent="a", status="completed", finished_at=ended)
        for call in range(place % 3):
            ToolCall.objects.create(
                run=run, call_id=f"c{call}", step=0, name="t", arguments={}, effect="read", created_at=ended
            )

    with CaptureQueriesContext(connection) as queries:
        owed = records_owed()

    assert len(queries) == 1
    assert sorted(item.observation.tool_calls for item in owed) == sorted(place % 3 for place in range(number))
