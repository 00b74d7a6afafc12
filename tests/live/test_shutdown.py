"""A stop in order: what is being answered ends as cancelled, with what was shown and its record."""

import signal
from collections.abc import Callable
from uuid import UUID

import pytest

from tests.live.test_kill import read_until
from tests.site import Site

pytestmark = pytest.mark.database

RUN = "SELECT status, cancel_reason, output FROM agentcore_run WHERE recorded_at IS NOT NULL AND id = '{run}'"
LAST = "SELECT type FROM agentcore_runevent WHERE run_id = '{run}' ORDER BY sequence DESC LIMIT 1"
TURN = "SELECT status, cancel_reason FROM governance_turn WHERE run_id = '{run}'"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_stop_of_the_server_ends_its_runs_with_what_they_said(
    make_site: Callable[..., Site], how: signal.Signals
) -> None:
    site = make_site()
    client = site.login()
    run_id = client.post("/api/agent/runs", json={"input": "/stream 5000 20"}).json()["run_id"]
    seen = read_until(client, run_id, lambda events: len(events) >= 6)

    site.kill(how)

    said = "".join(event["data"]["text"] for event in seen if event["type"] == "TextDelta")
    (run, turn, last) = (site.rows(sql.format(run=UUID(run_id).hex)) for sql in (RUN, TURN, LAST))
    assert [row[:2] for row in run] == turn == [("cancelled", "shutdown")]
    assert run[0][2].startswith(said)
    assert last == [("RunCancelled",)]
