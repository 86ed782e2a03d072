"""Forty pydantic models of the kinds that programs ask answers to be, for test_schemas.py and for
whoever records what openai-python makes of them. Knows no client.

    python tests/python/models.py > tests/python/models.json

writes that down anew, in an environment that has openai and pydantic.
"""

import datetime
import decimal
import enum
import json
import sys
import uuid
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar

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


class Lists(BaseModel):
    words: list[str]
    inners: list[Inner]
    grid: list[list[int]]


class Optionals(BaseModel):
    name: str | None
    inner: Inner | None = None
    count: int | None = 3


class Unions(BaseModel):
    either: str | int
    of_models: Inner | Flat
    maybe: Inner | Flat | None


class Enums(BaseModel):
    color: Color
    level: Level
    colors: list[Color]


class EnumWithDefault(BaseModel):
    color: Color = Color.RED


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


class Linked(BaseModel):
    value: int
    next: Optional["Linked"] = None


class LinkedDescribed(BaseModel):
    value: int
    next: Optional["LinkedDescribed"] = Field(default=None, description="What follows")


class Tree(BaseModel):
    left: Optional["Branch"]
    right: Optional["Branch"]


class Branch(BaseModel):
    tree: Tree
    label: str = "leaf"


class HoldsNode(BaseModel):
    root: Node = Field(description="The root")
    other: Node


class RefWithDescription(BaseModel):
    first: Inner = Field(description="The first")
    second: Inner = Field(description="The second", title="Second!")


class RefWithDefault(BaseModel):
    inner: Inner = Inner(text="x")
    color: Color = Field(default=Color.BLUE, description="Which")


class RefOfRef(BaseModel):
    nested: Nested = Field(description="Around another")
    holder: RefWithDescription = Field(description="Around two")


class Defaults(BaseModel):
    name: str = "x"
    count: int = 0
    flag: bool = False
    nothing: None = None
    words: list[str] = []
    made: list[str] = Field(default_factory=list)


class Described(BaseModel):
    """A thing that is described.

    In two paragraphs.
    """

    name: str = Field(description="Its name", examples=["Ada"])
    count: Annotated[int, Field(description="How many", ge=0, le=10)]


class Bounds(BaseModel):
    count: int = Field(gt=0, lt=100, multiple_of=5)
    text: str = Field(min_length=1, max_length=10, pattern="^a+$")
    items: list[int] = Field(min_length=1, max_length=3)


class Dicts(BaseModel):
    counts: dict[str, int]
    anything: dict[str, Any]
    inners: dict[str, Inner]


class BareDict(BaseModel):
    fields: dict


class Anything(BaseModel):
    value: Any
    thing: object


class ExtraAllowed(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class ExtraForbidden(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    inner: Inner


class Aliased(BaseModel):
    inner_name: str = Field(alias="innerName")
    count: int = Field(validation_alias="theCount")


class Times(BaseModel):
    at: datetime.datetime
    on: datetime.date
    took: datetime.timedelta
    id: uuid.UUID
    price: decimal.Decimal


class Tuples(BaseModel):
    pair: tuple[int, str]
    many: tuple[int, ...]
    unique: set[str]


class Typed(TypedDict):
    title: str
    pages: int


class WithTypedDict(BaseModel):
    book: Typed
    books: list[Typed]


class Base(BaseModel):
    id: int


class Derived(Base):
    name: str


class Box(BaseModel, Generic[T]):
    content: T
    size: int


class HoldsBoxes(BaseModel):
    words: Box[str]
    inners: Box[Inner]


class Empty(BaseModel):
    pass


class HoldsEmpty(BaseModel):
    empty: Empty
    maybe: Empty | None = None


class Steps(BaseModel):
    class Step(BaseModel):
        explanation: str
        output: str

    steps: list[Step]
    final_answer: str


class Everything(BaseModel):
    """All at once."""

    title: str = Field(title="The Title", description="What it is called")
    color: Color | None = Field(None, description="Which color, if any")
    parts: list[Inner | Flat | Literal["none"]] = Field(description="Its parts")
    nested: list[Nested | None] | None = None
    numbers: list[int | float] = Field(default_factory=list, max_length=5)


class ExtraSchema(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "x"}]}, title="Titled")
    name: str = Field(json_schema_extra={"x-order": 1})


class DeepRefs(BaseModel):
    one: list[list[Nested] | None]
    two: dict[str, list[Inner]] | None = None


class UsesAttributeDocs(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)
    name: str
    """What it is called."""


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


MODELS = {
    name: one
    for name, one in list(globals().items())
    if isinstance(one, type)
    and one.__module__ == __name__
    and (issubclass(one, BaseModel) or hasattr(one, "__pydantic_config__"))
    and name != "Box"
    and not name.startswith("RootModel[")
}


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
    found = {name: recorded(model, libraries) for name, model in MODELS.items()}
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
