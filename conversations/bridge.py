"""The crossings from async code to the database, one line each."""

from agentcore.pool import in_pool
from conversations import selectors

ahistory_load = in_pool(selectors.history_load)
