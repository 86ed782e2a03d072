"""pydantic-ai: agents with tools, structured answers and streams, over chat and responses, handed
an AsyncOpenAI client."""
# needs: pydantic-ai-slim[openai]==2.68.0

import drive

drive.stand_in()
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


def model(service, kind):
    return kind("echo", provider=OpenAIProvider(openai_client=drive.async_client(service)))


def both(function):
    """The same case over both operations."""
    for kind, name in ((OpenAIChatModel, "chat"), (OpenAIResponsesModel, "responses")):

        async def run(service, kind=kind):
            return await function(service, model(service, kind))

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def plain(service, model):
    service.queue("Hello there.")
    result = await Agent(model, instructions="Be brief.").run("Say hello.")
    usage = result.usage() if callable(result.usage) else result.usage
    return [result.output, usage.input_tokens, usage.output_tokens]


@both
async def tool(service, model):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    agent = Agent(model)

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    result = await agent.run("What is the weather in Paris?")
    return [result.output, len(result.all_messages())]


@both
async def structured(service, model):
    service.queue(text("", tool_calls=[("final_result", {"name": "Paris"})]))
    return (await Agent(model, output_type=City).run("Which city?")).output.model_dump()


@both
async def streamed(service, model):
    service.queue("One two three.")
    async with Agent(model).run_stream("Count.") as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


@both
async def streamed_tool(service, model):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    agent = Agent(model)

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    async with agent.run_stream("What is the weather in Paris?") as result:
        return await result.get_output()


@both
async def refused(service, model):
    service.queue(400)
    try:
        await Agent(model).run("Say hello.")
    except Exception as error:
        return [type(error).__name__, getattr(error, "status_code", None)]


@both
async def unreachable(service, model):
    service.close()
    try:
        await Agent(model).run("Say hello.")
    except Exception as error:
        return type(error).__name__


drive.main()
