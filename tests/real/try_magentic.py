"""magentic: prompts as functions, plain, streamed, with functions and structured."""
# needs: magentic==0.41.1

import itertools
import uuid

import drive

drive.stand_in()  # its chat model makes its own clients

import magentic.function_call
from magentic import (
    AsyncStreamedStr,
    FunctionCall,
    OpenaiChatModel,
    StreamedStr,
    prompt,
    prompt_chain,
)
from pydantic import BaseModel

from modelwire.testing import error, text

# It names each call by chance.
numbers = itertools.count()
magentic.function_call.uuid4 = lambda: uuid.UUID(int=next(numbers))

CALL = text("", tool_calls=[("weather", {"city": "Paris"})])


class City(BaseModel):
    """A city."""

    name: str
    people: int


def model(service):
    return OpenaiChatModel("echo", base_url=service.base_url, api_key=service.api_key)


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@drive.case
def plain(service):
    @prompt("Say {word}.", model=model(service))
    def say(word: str) -> str: ...

    return say("hello")


@drive.case
def streamed(service):
    @prompt("Count to {number}.", model=model(service))
    def count(number: int) -> StreamedStr: ...

    service.queue("One two three.")
    return list(count(3))


@drive.case
def function(service):
    @prompt("Weather in Paris?", functions=[weather], model=model(service))
    def ask() -> FunctionCall[str]: ...

    service.queue(CALL)
    return ask()()


@drive.case
def chain(service):
    @prompt_chain("Weather in Paris?", functions=[weather], model=model(service))
    def ask() -> str: ...

    service.queue(CALL, "It is sunny.")
    return ask()


@drive.case
def structured(service):
    @prompt("Which city?", model=model(service))
    def ask() -> City: ...

    service.queue(text("", tool_calls=[("return_city", {"name": "Paris", "people": 2})]))
    return ask().model_dump()


@drive.case
async def asynchronous(service):
    @prompt("Count.", model=model(service))
    async def count() -> AsyncStreamedStr: ...

    service.queue("One two.")
    return [piece async for piece in await count()]


@drive.case
def limited(service):
    @prompt("Say it.", model=model(service))
    def say() -> str: ...

    service.queue(error(429, "Slow down.", retry_after=0), "It.")
    return say()


@drive.case
def refused(service):
    @prompt("Say it.", model=model(service))
    def say() -> str: ...

    service.queue(error(400, "No."))
    try:
        return say()
    except Exception as failure:
        return [type(failure).__name__, failure.status_code]


drive.main()
