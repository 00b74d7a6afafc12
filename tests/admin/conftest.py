"""A site with one of everything that the admin of the ground shows, and who looks at it."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from agentcore.models import AgentProfile, AgentRoute, ApiToken, Credential, ModelPrice, Provider, Run
from agentcore.services.credentials import credential_store

CANARY = "sk-CANARY-77-abcdef0123456789"
TEXT_CANARY = "what-the-owner-said-CANARY"


@pytest.fixture
def superuser(db: None) -> Any:
    return get_user_model().objects.create_superuser("root")


@pytest.fixture
def boss(superuser: Any) -> Client:
    """The superuser's browser."""
    client = Client()
    client.force_login(superuser)
    return client


@pytest.fixture
def staff(db: None) -> Callable[..., Client]:
    """The browser of a staff member with these permissions of the ground."""

    def logged_in(*codenames: str) -> Client:
        user = get_user_model().objects.create_user("staff", is_staff=True)
        permissions = Permission.objects.filter(content_type__app_label="agentcore", codename__in=codenames)
        assert len(permissions) == len(codenames)
        user.user_permissions.add(*permissions)
        client = Client()
        client.force_login(user)
        return client

    return logged_in


@pytest.fixture
def credential(db: None) -> Credential:
    return credential_store("hosted", CANARY)


@pytest.fixture
def provider(credential: Credential) -> Provider:
    return Provider.objects.create(
        slug="hosted",
        provider_type="openai_chat",
        name="Hosted",
        base_url="https://example.com/v1",
        default_model="fx-1",
        credential=credential,
    )


@pytest.fixture
def agent(provider: Provider) -> AgentProfile:
    profile = AgentProfile.objects.create(slug="assistant", name="Assistant", suggestions=["Hello?"])
    AgentRoute.objects.create(agent=profile, provider=provider)
    return profile


@pytest.fixture
def price(provider: Provider) -> ModelPrice:
    return ModelPrice.objects.create(
        provider=provider,
        model="fx-1",
        input_per_mtok=Decimal(1),
        output_per_mtok=Decimal(2),
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.fixture
def token(superuser: Any) -> ApiToken:
    return ApiToken.issue(user=superuser, name="ci")[0]


@pytest.fixture
def run(superuser: Any) -> Run:
    return Run.objects.create(
        user=superuser,
        username="root",
        agent="assistant",
        status="failed",
        input=TEXT_CANARY,
        output=TEXT_CANARY,
        citations=[{"title": TEXT_CANARY}],
        error={"code": "PROVIDER_TIMEOUT", "message": TEXT_CANARY},
    )


@pytest.fixture
def everything(agent: AgentProfile, price: ModelPrice, token: ApiToken, run: Run) -> dict[str, Any]:
    """One row of each model, by the model's name in addresses."""
    return {
        "provider": agent.routes.get().provider_id,
        "credential": "hosted",
        "agentprofile": agent.pk,
        "modelprice": price.pk,
        "apitoken": token.pk,
        "run": run.pk,
    }
