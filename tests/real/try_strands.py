"""strands: an agent whose model has its client replaced: whole, with a tool, structured,
asynchronous; and its models over chat and responses."""
# needs: strands-agents[openai]==1.62.0

import drive

drive.stand_in()

from pydantic import BaseModel
from strands import Agent, tool
from strands.models.openai import OpenAIModel

from modelwire.testing import error, text


class City(BaseModel):
    """A city."""

    name: str


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def agent(service, **options):
    given = {"base_url": service.base_url, "api_key": service.api_key}
    return Agent(OpenAIModel(client_args=given, model_id="echo"), callback_handler=None, **options)


@drive.case
def plain(service):
    return str(agent(service)("Say hello."))


@drive.case
def tools(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    return str(agent(service, tools=[weather])("Weather in Paris?"))


@drive.case
async def streamed(service):
    return [one["data"] async for one in agent(service).stream_async("One two.") if "data" in one]


@drive.case
def structured(service):
    service.queue(text("", tool_calls=[("City", {"name": "Paris"})]), "Done.")
    found = agent(service)("Which city?", structured_output_model=City)
    return found.structured_output.model_dump()


@drive.case
def refused(service):
    service.queue(error(400, "No."))
    try:
        return str(agent(service)("Say it."))
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


@drive.case
async def asynchronous(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    return str(await agent(service, tools=[weather]).invoke_async("Weather in Paris?"))


@drive.case
async def structured_async(service):
    service.queue(text("", tool_calls=[("City", {"name": "Paris"})]), "Done.")
    found = await agent(service).invoke_async("Which city?", structured_output_model=City)
    return found.structured_output.model_dump()


@drive.case
async def parsed(service):
    """The model's own structured answers, without an agent."""
    service.queue('{"name": "Paris"}')
    ask = [{"role": "user", "content": [{"text": "Which city?"}]}]
    found = agent(service).model.structured_output(City, ask)
    return [str(event) async for event in found]


drive.main()
