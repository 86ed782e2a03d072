"""guidance: a chat of roles with generated text, whole, streamed, as JSON and with a tool."""
# needs: guidance==0.3.1 openai==3.57.0

import drive

drive.stand_in()  # its model makes its own client

import guidance
from guidance import assistant, gen, system, user
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def model(service):
    return guidance.models.OpenAI(
        "echo", echo=False, api_key=service.api_key, base_url=service.base_url
    )


@drive.case
def plain(service):
    found = model(service)
    with system():
        found += "Be brief."
    with user():
        found += "One two."
    with assistant():
        found += gen("answer", max_tokens=20)
    return found["answer"]


@drive.case
def second_turn(service):
    found = model(service)
    for number in range(2):
        with user():
            found += f"One {number}."
        with assistant():
            found += gen(f"answer{number}")
    return [found["answer0"], found["answer1"]]


@drive.case
def streamed(service):
    """The states that a model comes through. It knows its role if a function sets it."""

    @guidance.guidance
    def asked(found):
        with user():
            found += "One two three."
        with assistant():
            found += gen("answer")
        return found

    return [str(state) for state in model(service).stream() + asked()]


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    found = model(service)
    with user():
        found += "Which city?"
    with assistant():
        found += guidance.json("city", schema=City)
    return found["city"]


@drive.case
def structured_without_a_schema(service):
    service.queue('{"name": "Paris"}')
    found = model(service)
    with user():
        found += "Which city?"
    with assistant():
        found += guidance.json("city")
    return found["city"]


@drive.case
def tools(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    found = model(service)
    with user():
        found += "Weather in Paris?"
    with assistant():
        found += gen(tools=[weather])
    with assistant():
        found += gen("answer")
    return str(found)


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    found = model(service)
    with user():
        found += "Say it."
    try:
        with assistant():
            found += gen("answer")
        return found["answer"]
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
