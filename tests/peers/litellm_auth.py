"""Runs inside LiteLLM's proxy: who may ask. Without it a wrong key is answered with words about a missing database."""

from fastapi import HTTPException, Request
from litellm.proxy._types import UserAPIKeyAuth


async def allowed(request: Request, api_key: str) -> UserAPIKeyAuth:
    if api_key.removeprefix("Bearer ") != "sk-right":
        raise HTTPException(401, "Authentication Error, Invalid proxy server token passed.")
    return UserAPIKeyAuth(api_key=api_key)
