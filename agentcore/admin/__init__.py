"""The ground in Django admin: providers, keys, agents, prices and tokens to manage, runs to read."""

from django.contrib import admin

from agentcore.admin.agents import AgentProfileAdmin
from agentcore.admin.credentials import CredentialAdmin
from agentcore.admin.prices import ModelPriceAdmin
from agentcore.admin.providers import ProviderAdmin
from agentcore.admin.runs import RunAdmin
from agentcore.admin.tokens import ApiTokenAdmin
from agentcore.models import AgentProfile, ApiToken, Credential, ModelPrice, Provider, Run

__all__ = [
    "AgentProfileAdmin",
    "ApiTokenAdmin",
    "CredentialAdmin",
    "ModelPriceAdmin",
    "ProviderAdmin",
    "RunAdmin",
]

admin.site.register(Provider, ProviderAdmin)
admin.site.register(Credential, CredentialAdmin)
admin.site.register(AgentProfile, AgentProfileAdmin)
admin.site.register(ModelPrice, ModelPriceAdmin)
admin.site.register(ApiToken, ApiTokenAdmin)
admin.site.register(Run, RunAdmin)

# A template of our own name, since a host site may list this app after Django's admin, whose "admin/index.html" then
# wins. A site with an index of its own puts {% load steward_admin %}{% steward_setup %} where it wants the box.
if admin.site.index_template is None:
    admin.site.index_template = "agentcore/admin/index.html"
