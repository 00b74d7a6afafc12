"""``math.*``: what models are bad at."""

from decimal import Decimal
from typing import Annotated, TypeAlias

from django.utils.translation import gettext_lazy as _
from pydantic import Field, WithJsonSchema

from toolsapp.decorator import agent_tool

Number: TypeAlias = Annotated[int | Annotated[float, Field(allow_inf_nan=False)], WithJsonSchema({"type": "number"})]


@agent_tool(name="math.add", category="math", summary=_("{left} + {right}"))
def add(left: Number, right: Number) -> int | float:
    """Add two numbers exactly."""
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    # By their decimal digits: 0.1 + 0.2 is 0.3 for everyone who asks an assistant.
    return float(Decimal(str(left)) + Decimal(str(right)))
