"""The crossings from async code to the database, one line each."""

from agentcore.pool import in_pool
from conversations import login, selectors

ahistory_load = in_pool(selectors.history_load)
alogin_load = in_pool(login.login_load)
alogins_ended = in_pool(login.logins_ended)
aconversation_title = in_pool(selectors.conversation_title)
