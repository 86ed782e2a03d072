"""What pydantic is told of our answers, so that they may stand in its models. Imported when
pydantic asks; knows no answer."""

from __future__ import annotations

from typing import Any


def schema(kind: Any) -> Any:
    """Takes an answer or a dict, gives an answer, and writes it as the service sent it."""
    from pydantic_core import core_schema

    def plain(value: Any) -> Any:
        return value.to_dict()

    return core_schema.no_info_plain_validator_function(
        kind.model_validate,
        json_schema_input_schema=core_schema.dict_schema(),
        serialization=core_schema.plain_serializer_function_ser_schema(
            plain, return_schema=core_schema.dict_schema()
        ),
    )
