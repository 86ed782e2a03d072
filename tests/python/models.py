"""Pydantic models of the kinds that programs ask answers to be, for test_schemas.py and for whoever
records what openai-python makes of them.

    python tests/python/models.py > tests/python/models.json

writes that down anew, in an environment that has openai and pydantic.
"""

import datetime
import decimal
import enum
import json
import uuid
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """How much."""

    LOW = 1
    HIGH = 2


class Flat(BaseModel):
    name: str
    count: int
    share: float
    is_open: bool


class Inner(BaseModel):
    """What stands inside."""

    text: str


class Nested(BaseModel):
    inner: Inner
    name: str


class Optionals(BaseModel):
    name: str | None
    inner: Inner | None = None
    count: int | None = 3


class Unions(BaseModel):
    either: str | int
    of_models: Inner | Flat
    maybe: Inner | Flat | None


class EnumDescribed(BaseModel):
    color: Color = Field(description="Which color")
    level: Level = Field(description="How much", default=Level.LOW)


class Literals(BaseModel):
    one: Literal["a"]
    several: Literal["a", "b", 1]
    maybe: Literal["x", "y"] | None = None


class Node(BaseModel):
    value: int
    children: list["Node"]


class HoldsNode(BaseModel):
    root: Node = Field(description="The root")
    other: Node


class RefWithDescription(BaseModel):
    first: Inner = Field(description="The first")
    second: Inner = Field(description="The second", title="Second!")


class RefOfRef(BaseModel):
    nested: Nested = Field(description="Around another")
    holder: RefWithDescription = Field(description="Around two")


class Dicts(BaseModel):
    counts: dict[str, int]
    anything: dict[str, Any]
    inners: dict[str, Inner]


class ExtraForbidden(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    inner: Inner


class Times(BaseModel):
    at: datetime.datetime
    on: datetime.date
    took: datetime.timedelta
    id: uuid.UUID
    price: decimal.Decimal


class Typed(TypedDict):
    title: str
    pages: int


class WithTypedDict(BaseModel):
    book: Typed
    books: list[Typed]


class Box(BaseModel, Generic[T]):
    content: T
    size: int


class HoldsBoxes(BaseModel):
    words: Box[str]
    inners: Box[Inner]


class Everything(BaseModel):
    """All at once."""

    title: str = Field(title="The Title", description="What it is called")
    color: Color | None = Field(None, description="Which color, if any")
    parts: list[Inner | Flat | Literal["none"]] = Field(description="Its parts")
    nested: list[Nested | None] | None = None
    numbers: list[int | float] = Field(default_factory=list, max_length=5)


@pydantic.dataclasses.dataclass
class PydanticDataclass:
    name: str
    inner: Inner
    count: int = 1


@pydantic.dataclasses.dataclass(config=ConfigDict(title="Configured"))
class ConfiguredDataclass:
    name: str
    count: int = 1


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Discriminated(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class RootList(pydantic.RootModel[list[Inner]]):
    pass


class RootUnion(pydantic.RootModel[Cat | Dog]):
    pass


class EmptiesDict(BaseModel):
    free: Annotated[dict, Field(json_schema_extra=lambda said: said.pop("additionalProperties"))]


class Endless(BaseModel):
    value: int
    next: "Endless" = Field(description="Without end")


RECORDED = """
    Optionals Unions EnumDescribed Literals HoldsNode RefOfRef HoldsBoxes Everything
    ExtraForbidden WithTypedDict Times Discriminated RootList RootUnion EmptiesDict Endless
"""
MODELS = {name: globals()[name] for name in RECORDED.split()}


def recorded(model, libraries):
    """What openai-python sends for a model, and what pydantic made of it before."""
    completions, adapter = libraries
    is_model = issubclass(model, BaseModel)
    raw = model.model_json_schema() if is_model else adapter(model).json_schema()
    try:
        sent = completions.type_to_response_format_param(model)
    except RecursionError:
        sent = None
    return {"pydantic": raw, "sent": sent}


def main():
    from openai.lib._parsing import _completions

    libraries = (_completions, pydantic.TypeAdapter)
    found = (f' "{name}": {json.dumps(recorded(one, libraries))}' for name, one in MODELS.items())
    print("{", ",\n".join(found), "}", sep="\n")


if __name__ == "__main__":
    main()
