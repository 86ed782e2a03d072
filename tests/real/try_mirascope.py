"""mirascope: calls over chat and responses, streams, tools, formats and async."""
# needs: mirascope[openai]==2.8.2

import drive

drive.stand_in()  # its provider makes its own clients

from mirascope import llm
from pydantic import BaseModel

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


def provider(service):
    llm.register_provider("openai", api_key=service.api_key, base_url=service.base_url)


def asked(form):
    @drive.case
    def case(service):
        provider(service)
        return llm.model(f"openai/echo:{form}").call("Say hello.").text()

    case.__name__ = f"plain_{form}"

    @drive.case
    def streamed(service):
        provider(service)
        found = llm.model(f"openai/echo:{form}").stream("One two three.")
        return list(found.text_stream())

    streamed.__name__ = f"streamed_{form}"


asked("completions")
asked("responses")


@llm.tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@drive.case
def tools(service):
    provider(service)
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    found = llm.model("openai/echo:completions").call("Weather in Paris?", tools=[weather])
    return found.resume(found.execute_tools()).text()


@drive.case
def structured(service):
    provider(service)
    service.queue('{"name": "Paris"}')
    found = llm.model("openai/echo:completions").call("Which city?", format=City)
    return found.parse().model_dump()


@drive.case
async def asynchronous(service):
    provider(service)
    return (await llm.model("openai/echo:completions").call_async("Say hello.")).text()


drive.main()
