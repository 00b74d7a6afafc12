"""The crossings from async code to the database."""

from agentcore.pool import in_pool
from toolsapp.permissions import may_call_now

amay_call_now = in_pool(may_call_now)
