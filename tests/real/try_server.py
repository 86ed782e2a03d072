"""A server that is no stand-in, asked by three frameworks: REAL_SERVER is its URL, the key is
sk-test, and its model answers tool calls to get_weather (llama.cpp's server with a tiny model).
Without REAL_SERVER no case is run."""
# needs: pydantic-ai-slim[openai]==2.68.0 openai-agents==0.24.0 langchain-openai==1.7.3

import os
import sys
import types

import drive

drive.stand_in()

import agents
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

if "REAL_SERVER" not in os.environ:
    sys.exit("REAL_SERVER is not set")
SERVER = types.SimpleNamespace(base_url=os.environ["REAL_SERVER"], api_key="sk-test")
MODEL = "tiny-model"
agents.set_tracing_disabled(True)
WORDS = ("Hello.", "unicode", "think")


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@drive.case
def plain(_):
    create = drive.client(SERVER).chat.completions.create
    return [
        create(model=MODEL, messages=[{"role": "user", "content": word}]).choices[0].message.content
        for word in WORDS
    ]


@drive.case
async def streamed(_):
    told = []
    for word in WORDS:
        ask = {"model": MODEL, "messages": [{"role": "user", "content": word}]}
        chunks = await drive.async_client(SERVER).chat.completions.create(stream=True, **ask)
        told.append([chunk.choices[0].delta.to_dict() async for chunk in chunks if chunk.choices])
    return told


@drive.case
def responses(_):
    client = drive.client(SERVER)
    events = client.responses.create(model=MODEL, input="think", stream=True)
    said = client.responses.create(model=MODEL, input="unicode").output_text
    return [said, [event.type for event in events]]


def pydantic_ai(kind):
    async def run(_):
        model = kind(MODEL, provider=OpenAIProvider(openai_client=drive.async_client(SERVER)))
        agent = Agent(model, tools=[get_weather])
        with capture_run_messages() as messages:
            output = (await agent.run("Weather in Paris?")).output
        async with Agent(model).run_stream("unicode") as result:
            return [output, len(messages), [piece async for piece in result.stream_text()][-1]]

    run.__name__ = f"pydantic_ai_{kind.__name__}"
    drive.case(run)


pydantic_ai(OpenAIChatModel)
pydantic_ai(OpenAIResponsesModel)


def openai_agents(kind):
    async def run(_):
        model = kind(model=MODEL, openai_client=drive.async_client(SERVER))
        agent = agents.Agent(name="A", model=model, tools=[agents.function_tool(get_weather)])
        result = agents.Runner.run_streamed(agent, "Weather in Paris?")
        kinds = [event.type async for event in result.stream_events()]
        return [result.final_output, kinds]

    run.__name__ = f"openai_agents_{kind.__name__}"
    drive.case(run)


openai_agents(agents.OpenAIChatCompletionsModel)
openai_agents(agents.OpenAIResponsesModel)


@drive.case
def langchain(_):
    client, other = drive.client(SERVER), drive.async_client(SERVER)
    model = ChatOpenAI(
        model=MODEL,
        api_key="sk-test",
        client=client.chat.completions,
        root_client=client,
        async_client=other.chat.completions,
        root_async_client=other,
    )
    called = model.bind_tools([get_weather]).invoke("Weather in Paris?")
    pieces = [chunk.content for chunk in model.stream("unicode")]
    return [[call["args"] for call in called.tool_calls], pieces]


@drive.case
def refused(_):
    client = drive.library().OpenAI(base_url=SERVER.base_url, api_key="sk-wrong")
    try:
        client.chat.completions.create(model=MODEL, messages=[])
    except Exception as error:
        return [type(error).__name__, error.status_code, error.type]


drive.main()
