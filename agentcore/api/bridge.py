"""Every crossing of the API from async code to the database, a line each."""

from agentcore.api.endpoint import logged_in, may
from agentcore.api.shapes import run_json, trace_json
from agentcore.pool import in_pool

alogged_in = in_pool(logged_in)
amay = in_pool(may)
arun_json = in_pool(run_json)
atrace_json = in_pool(trace_json)
