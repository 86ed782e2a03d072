"""llm (the command line tool): a prompt, streamed and whole, with tools and schemas, synchronous
and asynchronous, through its OpenAI models."""
# needs: llm==0.36

import drive

drive.stand_in()

from llm.default_plugins import openai_models
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


async def weather_later(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def async_model(service):
    found = openai_models.AsyncChat("echo", model_name="echo", api_base=service.base_url)
    found.key = service.api_key
    return found


def model(service):
    found = openai_models.Chat("echo", model_name="echo", api_base=service.base_url)
    found.key = service.api_key
    return found


@drive.case
def whole(service):
    return model(service).prompt("One two.", stream=False, key=service.api_key).text()


@drive.case
def streamed(service):
    return list(model(service).prompt("One two.", key=service.api_key))


@drive.case
def usage(service):
    answer = model(service).prompt("One two.", key=service.api_key)
    answer.text()
    usage = answer.usage()
    return [usage.input, usage.output]


@drive.case
def tool(service):
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = model(service)
    found.supports_tools = True
    return found.chain("Weather?", tools=[weather], key=service.api_key).text()


@drive.case
async def asynchronous(service):
    return await async_model(service).prompt("One two.", key=service.api_key)


@drive.case
def conversation(service):
    talk = model(service).conversation()
    return [talk.prompt(word, key=service.api_key).text() for word in ("One.", "Two.")]


@drive.case
async def streamed_async(service):
    found = async_model(service).prompt("One two.", key=service.api_key)
    return [piece async for piece in found]


@drive.case
async def tool_async(service):
    service.queue(text("", tool_calls=[("weather_later", {"city": "Paris"})]), "Sunny.")
    found = async_model(service)
    found.supports_tools = True
    return await found.chain("Weather?", tools=[weather_later], key=service.api_key).text()


@drive.case
def structured(service):
    service.queue('{"name": "Paris"}')
    found = model(service)
    found.supports_schema = True
    return found.prompt("Which city?", schema=City, key=service.api_key).text()


@drive.case
async def structured_async(service):
    service.queue('{"name": "Paris"}')
    found = async_model(service)
    found.supports_schema = True
    return await found.prompt("Which city?", schema=City, key=service.api_key)


@drive.case
def refused(service):
    service.queue(error(403, "No."))
    try:
        return model(service).prompt("Say it.", key=service.api_key).text()
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


drive.main()
