"""autogen: an assistant agent whose model client makes its client from openai's names."""
# needs: autogen-ext[openai]==0.7.5 autogen-agentchat==0.7.5

import drive

drive.stand_in()

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


INFO = {
    "vision": False,
    "function_calling": True,
    "json_output": True,
    "structured_output": True,
    "family": "unknown",
}


def model(service):
    return OpenAIChatCompletionClient(
        model="echo", base_url=service.base_url, api_key=service.api_key, model_info=INFO
    )


async def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@drive.case
async def whole(service):
    answer = await model(service).create([UserMessage(content="One two.", source="user")])
    return [answer.content, answer.usage.prompt_tokens, answer.finish_reason]


@drive.case
async def streamed(service):
    stream = model(service).create_stream([UserMessage(content="One two.", source="user")])
    return [piece if isinstance(piece, str) else piece.content async for piece in stream]


@drive.case
async def agent(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = AssistantAgent("A", model(service), tools=[weather], reflect_on_tool_use=True)
    result = await found.run(task="Weather in Paris?")
    return [[type(m).__name__, str(m.content)[:20]] for m in result.messages]


@drive.case
async def agent_streamed(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    found = AssistantAgent(
        "A", model(service), tools=[weather], reflect_on_tool_use=True, model_client_stream=True
    )
    return [type(m).__name__ async for m in found.run_stream(task="Weather in Paris?")]


@drive.case
async def structured(service):
    service.queue('{"name": "Paris"}')
    ask = [UserMessage(content="Which city?", source="user")]
    return (await model(service).create(ask, json_output=City)).content


drive.main()
