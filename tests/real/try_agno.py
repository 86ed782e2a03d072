"""agno: agents over chat and responses, handed a client."""
# needs: agno==3.1.10 openai==3.52.0

import os

os.environ["AGNO_TELEMETRY"] = "false"

import drive

drive.stand_in()

from agno.agent import Agent
from agno.models.openai import OpenAIChat, OpenAIResponses

from modelwire.testing import text


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    for kind, name in ((OpenAIChat, "chat"), (OpenAIResponses, "responses")):

        async def run(service, kind=kind):
            model = kind(
                id="echo",
                api_key=service.api_key,
                client=drive.client(service),
                async_client=drive.async_client(service),
            )
            return await function(service, Agent(model=model, telemetry=False, tools=[weather]))

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def whole(service, agent):
    service.queue("Hello.", "Hello.")
    return [agent.run("Say hello.").content, (await agent.arun("Say hello.")).content]


@both
async def tool(service, agent):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    answer = agent.run("Weather in Paris?")
    return [answer.content, [found.result for found in answer.tools]]


@both
async def streamed(service, agent):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    return [event.event async for event in agent.arun("Weather in Paris?", stream=True)]


@both
async def refused(service, agent):
    service.queue(400)
    return str(agent.run("Say hello.").status)


drive.main()
