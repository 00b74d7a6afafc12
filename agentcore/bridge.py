"""Every crossing from async code to the database of the ground, a line each."""

from agentcore.pool import in_pool, in_writer
from agentcore.selectors import events_after, run_is_over, run_visible, trace
from agentcore.services.breakers import breaker_admit, breaker_settle
from agentcore.services.chat_plans import chat_plan_load
from agentcore.services.events import batches_append
from agentcore.services.leases import cancels_requested, leases_renew, orphans
from agentcore.services.plans import plan_load
from agentcore.services.prices import cost_of
from agentcore.services.records import record_of, records_owed
from agentcore.services.recovery import run_abandon, run_give_up
from agentcore.services.runs import conversation_agent, run_ask_to_stop, run_open, run_recorded, run_sent_before

aevents_after = in_pool(events_after)
arun_is_over = in_pool(run_is_over)
arun_visible = in_pool(run_visible)
atrace = in_pool(trace)
aconversation_agent = in_pool(conversation_agent)
aplan_load = in_pool(plan_load)
achat_plan_load = in_pool(chat_plan_load)
arun_sent_before = in_pool(run_sent_before)
acost_of = in_pool(cost_of)
abreaker_admit = in_pool(breaker_admit)
abreaker_settle = in_pool(breaker_settle)
aorphans = in_pool(orphans)
acancels_requested = in_pool(cancels_requested)
arecord_of = in_pool(record_of)
arecords_owed = in_pool(records_owed)

abatches_append = in_writer(batches_append)
aleases_renew = in_writer(leases_renew)
arun_open = in_writer(run_open)
arun_abandon = in_writer(run_abandon)
arun_give_up = in_writer(run_give_up)
arun_recorded = in_writer(run_recorded)
arun_ask_to_stop = in_writer(run_ask_to_stop)
