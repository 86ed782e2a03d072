"""mirascope: calls over chat and responses, streams, tools, formats and async."""
# needs: mirascope[openai]==2.8.2

import drive

drive.stand_in()  # its provider makes its own clients

from mirascope import llm
from pydantic import BaseModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


@llm.tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


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

    @drive.case
    def tools(service):
        provider(service)
        service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
        found = llm.model(f"openai/echo:{form}").call("Weather in Paris?", tools=[weather])
        return found.resume(found.execute_tools()).text()

    tools.__name__ = f"tools_{form}"

    @drive.case
    def structured(service):
        provider(service)
        service.queue('{"name": "Paris"}')
        found = llm.model(f"openai/echo:{form}").call("Which city?", format=City)
        return found.parse().model_dump()

    structured.__name__ = f"structured_{form}"

    @drive.case
    async def asynchronous(service):
        provider(service)
        return (await llm.model(f"openai/echo:{form}").call_async("Say hello.")).text()

    asynchronous.__name__ = f"asynchronous_{form}"

    @drive.case
    async def streamed_async(service):
        provider(service)
        found = await llm.model(f"openai/echo:{form}").stream_async("One two three.")
        return [piece async for piece in found.text_stream()]

    streamed_async.__name__ = f"streamed_async_{form}"

    @drive.case
    def streamed_tools(service):
        provider(service)
        service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
        found = llm.model(f"openai/echo:{form}").stream("Weather in Paris?", tools=[weather])
        found.finish()
        second = found.resume(found.execute_tools())
        second.finish()
        return second.text()

    streamed_tools.__name__ = f"streamed_tools_{form}"

    @drive.case
    def refused(service):
        provider(service)
        service.queue(error(400, "No."))
        try:
            return llm.model(f"openai/echo:{form}").call("Say it.").text()
        except Exception as failure:
            return [type(failure).__name__, "No." in str(failure)]

    refused.__name__ = f"refused_{form}"


asked("completions")
asked("responses")


drive.main()
