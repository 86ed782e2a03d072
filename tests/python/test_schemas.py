"""The JSON schemas of types, and the reading of JSON as values of them, beside what
openai-python makes of them.

models.json was written by models.py from openai-python's own output.
"""

import dataclasses
import datetime
import enum
import json
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar

import msgspec
import pydantic
import pytest
from typing_extensions import TypedDict

import models
import programs
from conftest import id_of
from modelwire._schemas.formats import Format
from modelwire._schemas.schema import is_strict, strict

RECORDED = json.loads((Path(__file__).parent / "models.json").read_text())

DEVIATIONS = {
    "Discriminated": "oneOf is anyOf: services refuse oneOf",
    "EmptiesDict": "a dict of anything stays one; there nothing may be in it",
    "Endless": "there is no schema of it there: a RecursionError",
    "RootList": "wrapped in an object: services refuse a list at the top",
    "RootUnion": "wrapped in an object: services refuse a union at the top",
}


def sent_by_openai(name):
    return RECORDED[name]["sent"]["json_schema"]["schema"]


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - DEVIATIONS))
def test_a_schema_is_made_strict_as_openai_python_makes_it(name):
    """To the byte: also the order of its properties, which is that of the answer's."""
    given = RECORDED[name]["pydantic"]
    before = json.dumps(given)
    assert json.dumps(strict(given)) == json.dumps(sent_by_openai(name))
    assert json.dumps(given) == before, "what a program has is left as it was"


def test_every_model_is_recorded():
    """Nested, optional, unions, enums, recursive, described, with defaults."""
    assert len(RECORDED.keys() - DEVIATIONS) >= 10 and RECORDED.keys() == models.MODELS.keys()


def test_where_a_schema_differs():
    """On purpose, and in nothing else than what the list says."""
    pet = Format(models.Discriminated).schema["properties"]["pet"]
    theirs = sent_by_openai("Discriminated")["properties"]["pet"]
    assert pet["anyOf"] == theirs["oneOf"] and "discriminator" not in pet
    free = Format(models.EmptiesDict).schema["properties"]["free"]
    theirs = sent_by_openai("EmptiesDict")["properties"]["free"]
    assert free["additionalProperties"] is True and theirs["additionalProperties"] is False
    assert RECORDED["Endless"]["sent"] is None
    next_ = Format(models.Endless).schema["properties"]["next"]
    assert next_ == {"description": "Without end", "anyOf": [{"$ref": "#/$defs/Endless"}]}
    for name in ("RootList", "RootUnion"):
        made, theirs = Format(models.MODELS[name]).schema, sent_by_openai(name)
        assert (made["type"], made["required"]) == ("object", ["value"])
        assert {**made["properties"]["value"], "$defs": made["$defs"]} == theirs


def test_a_discriminated_list_at_the_top():
    """A union in a list in no object, all of which services do not take."""
    kind = list[Annotated[models.Cat | models.Dog, pydantic.Field(discriminator="kind")]]
    format_ = Format(kind)
    assert format_.name == "list_Cat_or_Dog" and format_.schema["type"] == "object"
    assert "oneOf" not in json.dumps(format_.schema)
    wrapped = format_.read('{"value": [{"kind": "cat", "lives": 9}]}')
    assert wrapped == [models.Cat(kind="cat", lives=9)]
    assert format_.read('[{"kind": "cat", "lives": 9}]') == wrapped, "not told of the wrapping"


def test_a_name_that_services_take():
    """Letters, digits, _ and -, at most 64 of them."""
    assert Format(models.Box[models.Inner]).name == "Box_Inner"
    assert Format(list[dict[str, int | None]]).name == "list_dict_str_int_or_NoneType"
    assert len(Format(tuple[(models.ConfiguredDataclass,) * 5]).name) == 64


class Size(enum.Enum):
    """How large."""

    SMALL = "s"
    LARGE = "l"


@dataclasses.dataclass
class Part:
    """A part of a thing."""

    name: str
    weight: float = 1.5


T = TypeVar("T")


@dataclasses.dataclass
class Pair(Generic[T]):
    left: T
    right: list[T]


class Book(TypedDict):
    """What is read."""

    title: str
    pages: int | None


UserId = NewType("UserId", int)


@dataclasses.dataclass
class Thing:
    id: uuid.UUID
    user: UserId
    at: datetime.datetime
    on: datetime.date
    size: Size
    part: Part
    parts: list[Part]
    book: Book
    either: int | str
    kind: Literal["a", "b"]
    counts: dict[str, int]
    pair: tuple[int, str]
    many: tuple[int, ...]
    unique: set[str]
    anything: Any
    nothing: None
    pairs: Pair[int]
    maybe: Part | None = None
    flag: bool = False
    described: Annotated[str, pydantic.Field(description="What it says")] = "x"
    computed: int = dataclasses.field(init=False, default=7)
    made: list[str] = dataclasses.field(default_factory=list)


PLAIN = {
    "id": "00000000-0000-0000-0000-000000000001",
    "user": 5,
    "at": "2026-01-02T03:04:05Z",
    "on": "2026-01-02",
    "size": "l",
    "part": {"name": "wheel", "more": "is ignored"},
    "parts": [{"name": "door", "weight": 2}],
    "book": {"title": "T", "pages": None},
    "either": "7",
    "kind": "b",
    "counts": {"a": 1},
    "pair": [1, "x"],
    "many": [1, 2],
    "unique": ["a", "a"],
    "anything": {"x": [1]},
    "nothing": None,
    "pairs": {"left": 1, "right": [2, 3]},
}


def test_reading_of_standard_types():
    """Every type that has a schema is read as what it says, defaults and all."""
    format_ = Format(Thing)
    found = format_.read(json.dumps(PLAIN))
    assert found == Thing(
        id=uuid.UUID(int=1),
        user=UserId(5),
        at=datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
        on=datetime.date(2026, 1, 2),
        size=Size.LARGE,
        part=Part("wheel"),
        parts=[Part("door", 2.0)],
        book={"title": "T", "pages": None},
        either="7",
        kind="b",
        counts={"a": 1},
        pair=(1, "x"),
        many=(1, 2),
        unique={"a"},
        anything={"x": [1]},
        nothing=None,
        pairs=Pair(1, [2, 3]),
    )
    assert type(found.parts[0].weight) is float and found.computed == 7
    properties = format_.schema["properties"]
    assert properties["described"]["description"] == "What it says"
    assert properties["part"] == {"$ref": "#/$defs/Part"}
    assert format_.schema["$defs"]["Part"]["description"] == "A part of a thing."


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Part, {"weight": 1}),
        (Part, []),
        (list[Part], [{"name": "a"}, {"name": None}]),
        (Size, "xl"),
        (Literal["a", 1], "b"),
        (int, 1.5),
        (Book, {"title": "x"}),
    ],
    ids=str,
)
def test_values_of_another_type_are_refused(kind, value):
    with pytest.raises(ValueError, match="validation error"):
        Format(kind).read(json.dumps(value))


def test_a_class_that_refuses_its_values():
    """What a program checks itself counts as its type does."""

    @dataclasses.dataclass
    class Even:
        number: int

        def __post_init__(self):
            if self.number % 2:
                raise ValueError("it is odd")

    format_ = Format(list[Even])
    assert format_.read('{"value": [{"number": 2}]}') == [Even(2)]
    with pytest.raises(ValueError, match="it is odd"):
        format_.read('[{"number": 3}]')


class Foreign:
    pass


@pytest.mark.parametrize("kind", [Foreign, list[Foreign], type, memoryview], ids=id_of)
def test_unsupported_answer_types_are_refused(kind):
    """A TypeError that says what is wrong."""
    with pytest.raises(TypeError, match="is not a type that an answer can be parsed into"):
        Format(kind)


def test_which_schemas_are_strict():
    """Whether a function may be offered as a strict one."""
    assert is_strict(Format(models.Everything).schema)
    assert not is_strict(Format(models.Dicts).schema)
    schema = pydantic.TypeAdapter(Part).json_schema()
    assert not is_strict(schema), "weight need not be there"


class Point(msgspec.Struct):
    """Where it is."""

    x: int
    y: Annotated[int, msgspec.Meta(ge=0)] = 0


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: float


def test_structs_of_msgspec():
    """And lists and unions of them."""
    point = Format(Point)
    assert (point.name, point.schema["required"]) == ("Point", ["x", "y"])
    assert point.schema["additionalProperties"] is False
    assert point.read('{"x": 1, "y": 2}') == Point(1, 2)
    shapes = Format(list[Circle | Square])
    assert shapes.is_wrapped and "discriminator" not in json.dumps(shapes.schema)
    assert shapes.read('{"value": [{"type": "square", "side": 2}]}') == [Square(2.0)]
    with pytest.raises(ValueError, match="int"):
        point.read('{"x": "a"}')


@dataclasses.dataclass
class Route:
    points: "list[Point]"
    following: "Route | None" = None


class Place(TypedDict):
    name: str
    at: Point


@dataclasses.dataclass
class Bounded:
    number: Annotated[int, msgspec.Meta(ge=0)]


def test_types_with_msgspec_parts_are_read_by_msgspec():
    """However deep the part is, also where annotations are text."""
    route = Format(Route)
    found = route.read('{"points": [{"x": 1}], "following": {"points": []}}')
    assert found == Route([Point(1)], Route([]))
    assert route.schema["required"] == ["points", "following"]
    places = Format(list[Place])
    assert places.read('[{"name": "a", "at": {"x": 1}}]') == [{"name": "a", "at": Point(1)}]
    assert Format(Bounded).schema["properties"]["number"]["minimum"] == 0
    with pytest.raises(ValueError, match=">= 0"):
        Format(Bounded).read('{"number": -1}')


@dataclasses.dataclass
class Tree:
    branches: "list[Tree]"


def test_a_recursive_type_is_read():
    assert Format(Tree).read('{"branches": [{"branches": []}]}') == Tree([Tree([])])


def test_a_model_stays_with_pydantic():
    """Whatever of msgspec's its annotations name."""

    class Model(pydantic.BaseModel):
        number: Annotated[int, msgspec.Meta(ge=0)]

    assert Format(list[Model]).read('[{"number": 1}]') == [Model(number=1)]


def test_type_adapters():
    """What programs hand over that know pydantic well."""
    adapter = pydantic.TypeAdapter(list[models.Inner])
    format_ = Format(adapter)
    assert format_.name == "list_Inner" and format_.is_wrapped
    assert format_.read('{"value": [{"text": "a"}]}') == [models.Inner(text="a")]


def test_standard_types_around_a_model():
    @dataclasses.dataclass
    class Around:
        inner: models.Inner

    assert Format(Around).read('{"inner": {"text": "a"}}') == Around(models.Inner(text="a"))


WITHOUT = """
    import sys
    for name in ("pydantic", "pydantic_core"):
        sys.modules[name] = None  # as if it were not installed
    import dataclasses
    from modelwire.testing import Service
    from modelwire import OpenAI

    @dataclasses.dataclass
    class Step:
        text: str

    def f(a: int): "Adds."

    messages = [{"role": "user", "content": "x"}]
    with Service() as service:
        client = OpenAI(base_url=service.base_url, api_key=service.api_key)
        chat = client.chat.completions
        for call in (
            lambda: chat.parse(model="m", messages=messages, response_format=Step),
            lambda: client.responses.parse(model="m", input="x", text_format=Step),
            lambda: chat.run_tools(model="m", messages=messages, tools=[f]),
        ):
            try:
                call()
            except ImportError as error:
                assert "pip install pydantic" in str(error), error
            else:
                raise AssertionError("nothing was raised")
        assert chat.create(model="echo", messages=messages).choices[0].message.content
"""


@pytest.mark.thread_unsafe("it is a program of its own")
def test_without_pydantic_an_error_says_what_to_install():
    programs.finished([sys.executable, "-c", textwrap.dedent(WITHOUT)])
