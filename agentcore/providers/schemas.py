"""A tool's JSON schema, as a target takes it."""

from agentcore.providers.profile import SchemaDialect
from agentcore.providers.schema_openapi import openapi
from agentcore.providers.schema_refs import Schema, inlined
from agentcore.providers.schema_strict import strict


def transformed(schema: Schema, dialect: SchemaDialect) -> tuple[Schema, bool]:
    """The schema in ``dialect``, and whether it is strict. ``schema`` itself is never changed.

    A schema that cannot be strict is sent as it is, and not strict. One that is too deep to read has no constraints;
    one that is no schema is for the provider to refuse.
    """
    try:
        return _transformed(schema, dialect)
    except RecursionError:
        return {"type": "object"}, False
    except (TypeError, AttributeError):
        return schema, False


def _transformed(schema: Schema, dialect: SchemaDialect) -> tuple[Schema, bool]:
    match dialect:
        case SchemaDialect.STRICT:
            bound = strict(schema)
            return (schema, False) if bound is None else (bound, True)
        case SchemaDialect.INLINED:
            return inlined(schema), False
        case SchemaDialect.OPENAPI:
            return openapi(schema), False
        case SchemaDialect.FULL:
            return schema, False
