"""llama-index: the OpenAI and OpenAILike models handed a client; chat, streams, tools, agents."""
# needs: llama-index-llms-openai==0.8.3 llama-index-llms-openai-like==0.8.1

import drive

drive.stand_in()

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAIResponses
from llama_index.llms.openai_like import OpenAILike

from modelwire.testing import text

ASK = [ChatMessage(role="user", content="One two.")]


def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def model(service):
    return OpenAILike(
        model="echo",
        api_key=service.api_key,
        api_base=service.base_url,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        openai_client=drive.client(service),
        async_openai_client=drive.async_client(service),
    )


@drive.case
def chat(service):
    answer = model(service).chat(ASK)
    return [answer.message.content, answer.additional_kwargs]


@drive.case
def streamed(service):
    return [answer.delta for answer in model(service).stream_chat(ASK)]


@drive.case
async def chat_async(service):
    return (await model(service).achat(ASK)).message.content


@drive.case
async def streamed_async(service):
    return [answer.delta async for answer in await model(service).astream_chat(ASK)]


@drive.case
def tool(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]))
    found = model(service)
    answer = found.chat_with_tools([FunctionTool.from_defaults(weather)], "Weather?")
    calls = found.get_tool_calls_from_response(answer)
    return [[call.tool_name, call.tool_kwargs] for call in calls]


@drive.case
async def agent(service):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = FunctionAgent(tools=[weather], llm=model(service))
    return str(await found.run("Weather in Paris?"))


@drive.case
def responses(service):
    service.queue("Hello there.", "One two.")
    found = OpenAIResponses(
        model="gpt-4o-mini", api_key=service.api_key, api_base=service.base_url, max_retries=0
    )
    return [found.chat(ASK).message.content, [a.delta for a in found.stream_chat(ASK)]]


drive.main()
