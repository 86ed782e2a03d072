"""marvin: tasks, extraction, classification, tools, events, of agents that are handed a client."""
# needs: marvin==3.2.7 pydantic-ai==1.40.0 mcp==1.22.0

import os
import tempfile
import types
import uuid

os.environ["MARVIN_HOME_PATH"] = tempfile.mkdtemp()
os.environ["MARVIN_ENABLE_DEFAULT_PRINT_HANDLER"] = "false"

import drive

drive.stand_in()  # pydantic-ai, below it, asks isinstance

import marvin
import marvin.agents.actor
import marvin.tasks.task
from pydantic import BaseModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from modelwire.testing import error, text

# It names each agent and task by chance.
for module in (marvin.agents.actor, marvin.tasks.task):
    module.uuid = types.SimpleNamespace(uuid4=lambda: uuid.UUID(int=0))


def done(result):
    """The call that ends a task with this result."""
    return text("", tool_calls=[("MarkTaskSuccessful_00000000", {"result": result})])


class City(BaseModel):
    """A city."""

    name: str


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    for kind, name in ((OpenAIChatModel, "chat"), (OpenAIResponsesModel, "responses")):

        async def run(service, kind=kind):
            provider = OpenAIProvider(openai_client=drive.async_client(service))
            agent = marvin.Agent(name="A", model=kind("echo", provider=provider))
            return await function(service, agent)

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def plain(service, agent):
    service.queue(done("Hello."))
    return await marvin.run_async("Say hello.", agents=[agent])


@both
async def structured(service, agent):
    service.queue(done({"name": "Paris"}))
    found = await marvin.cast_async("the capital of France", City, agent=agent)
    return found.model_dump()


@both
async def extracted(service, agent):
    service.queue(done([{"name": "Paris"}, {"name": "Rome"}]))
    found = await marvin.extract_async("Paris and Rome", City, agent=agent)
    return [one.model_dump() for one in found]


@both
async def tools(service, agent):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), done("It is sunny."))
    return await marvin.run_async("Weather in Paris?", tools=[weather], agents=[agent])


@both
async def streamed(service, agent):
    """Its events as they come; the timing decides how many pieces it makes of an answer."""
    service.queue(done("Hello."))
    found = marvin.run_tasks_stream([marvin.Task("Say hello.", agents=[agent])])
    return sorted({event.type async for event in found})


@both
async def refused(service, agent):
    service.queue(error(403, "No."))
    try:
        return await marvin.run_async("Say it.", agents=[agent])
    except Exception as failure:
        return [type(failure).__name__, "No." in str(failure)]


@drive.case
def synchronous(service):
    service.queue(done("Hello."))
    provider = OpenAIProvider(openai_client=drive.async_client(service))
    agent = marvin.Agent(name="A", model=OpenAIChatModel("echo", provider=provider))
    return marvin.run("Say hello.", agents=[agent])


drive.main()
