"""haystack: its chat generators over chat and responses, whose clients are made from openai's
names; whole, streamed, with tools, structured and asynchronous."""
# needs: haystack-ai==3.4.1

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import drive

drive.stand_in()

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from pydantic import BaseModel

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


ASK = [ChatMessage.from_user("One two.")]


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    for kind, name in (
        (OpenAIChatGenerator, "chat"),
        (OpenAIResponsesChatGenerator, "responses"),
    ):

        async def run(service, kind=kind):
            def made(**options):
                return kind(
                    model="echo",
                    api_base_url=service.base_url,
                    api_key=Secret.from_token(service.api_key),
                    max_retries=0,
                    **options,
                )

            made.kind = kind
            return await function(service, made)

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def whole(service, made):
    service.queue("Hello.", "Hello.")
    found = made()
    answers = [found.run(ASK), await found.run_async(ASK)]
    return [[answer["replies"][0].text, answer["replies"][0].meta["usage"]] for answer in answers]


@both
async def streamed(service, made):
    service.queue("One two three.")
    pieces = []
    found = made(streaming_callback=lambda chunk: pieces.append(chunk.content))
    answer = found.run(ASK)
    return [pieces, answer["replies"][0].text]


@both
async def streamed_async(service, made):
    service.queue("One two three.")
    pieces = []

    async def piece(chunk):
        pieces.append(chunk.content)

    answer = await made(streaming_callback=piece).run_async(ASK)
    return [pieces, answer["replies"][0].text]


@both
async def structured(service, made):
    service.queue('{"name": "Paris"}', '{"name": "Paris"}')
    # Chats and responses name it differently.
    chat = made.kind is OpenAIChatGenerator
    found = made(generation_kwargs={"response_format" if chat else "text_format": City})
    answers = [found.run(ASK), await found.run_async(ASK)]
    return [answer["replies"][0].text for answer in answers]


@both
async def streamed_tool(service, made):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    found = made(tools=[create_tool_from_function(weather)], streaming_callback=lambda chunk: None)
    calls = found.run(ASK)["replies"][0].tool_calls
    return [[call.tool_name, call.arguments] for call in calls]


@both
async def agent(service, made):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = Agent(chat_generator=made(), tools=[create_tool_from_function(weather)])
    state = await found.run_async(messages=ASK)
    return [[message.role.value, message.text] for message in state["messages"]]


@both
async def tool(service, made):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    answer = made(tools=[create_tool_from_function(weather)]).run(ASK)
    return [[call.tool_name, call.arguments] for call in answer["replies"][0].tool_calls]


@both
async def refused(service, made):
    service.queue(400)
    try:
        made().run(ASK)
    except Exception as error:
        return [type(error).__name__, getattr(error, "status_code", None)]


drive.main()
