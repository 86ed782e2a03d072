"""langchain-openai: a chat model with tools, structured answers, batches and streams, handed the
resources of a client."""
# needs: langchain-openai==1.7.4 langgraph==1.2.24

import drive

drive.stand_in()  # it asks isinstance(answer, openai.BaseModel)

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from typing_extensions import TypedDict

from modelwire.testing import text


class City(BaseModel):
    """A city."""

    name: str


def model(service, **options):
    client, other = drive.client(service), drive.async_client(service)
    return ChatOpenAI(
        model="echo",
        api_key="sk-test",
        client=client.chat.completions,
        root_client=client,
        async_client=other.chat.completions,
        root_async_client=other,
        max_retries=0,
        **options,
    )


def told(message):
    return [message.content, message.tool_calls, message.usage_metadata]


def both(function):
    """The same case over both operations."""
    for over_responses, name in ((False, "chat"), (True, "responses")):

        async def run(service, over_responses=over_responses):
            options = {"use_responses_api": True} if over_responses else {}
            return await function(service, model(service, **options))

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def invoked(service, model):
    service.queue("Hello there.", "Hello there.")
    said = [model.invoke("Say hello."), await model.ainvoke("Say hello.")]
    return [told(message) for message in said]


@both
async def tools(service, model):
    service.queue(text("", tool_calls=[("City", {"name": "Paris"})]), "Thanks.")
    with_tools = model.bind_tools([City])
    first = with_tools.invoke("Which city?")
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": "noted"}
        for call in first.tool_calls
    ]
    second = await with_tools.ainvoke([HumanMessage("Which city?"), first, *answers])
    return [[call["args"] for call in first.tool_calls], told(second)]


@both
async def structured_by_function(service, model):
    service.queue(text("", tool_calls=[("City", {"name": "Paris"})]))
    asked = model.with_structured_output(City, method="function_calling")
    return asked.invoke("Which city?").model_dump()


@both
async def structured_by_schema(service, model):
    service.queue('{"name": "Paris"}', '{"name": "Paris"}')
    asked = model.with_structured_output(City, method="json_schema")
    return [asked.invoke("Which city?").model_dump(), (await asked.ainvoke("?")).model_dump()]


class Town(TypedDict):
    """A town."""

    name: str


@both
async def structured_in_every_mode(service, model):
    """Each method with a class, a typed dict and a schema, raw and not, strict and not."""
    found = []
    fields = {"name": {"type": "string"}}
    place = {"title": "place", "type": "object", "properties": fields, "required": ["name"]}
    schemas = (City, Town, {**place, "description": "A place."})
    for method in ("function_calling", "json_schema", "json_mode"):
        for schema in schemas:
            for include_raw in (False, True):
                for strict in (None, True) if method != "json_mode" else (None,):
                    name = schema["title"] if isinstance(schema, dict) else schema.__name__
                    said = '{"name": "Paris"}'
                    if method == "function_calling":
                        said = text("", tool_calls=[(name, {"name": "Paris"})])
                    service.queue(said, said)
                    options = {} if strict is None else {"strict": strict}
                    asked = model.with_structured_output(
                        schema, method=method, include_raw=include_raw, **options
                    )
                    for got in (asked.invoke("As JSON?"), await asked.ainvoke("As JSON?")):
                        parsed = got["parsed"] if include_raw else got
                        found.append([method, name, str(parsed)])
    return found


@drive.case
async def structured_and_streamed(service):
    """What comes piece by piece, as far as there is something. Over responses, it cannot."""
    found, model_ = [], model(service)
    for schema in (City, Town):
        service.queue(['{"na', 'me": "Pa', 'ris"}'], ['{"name"', ': "Rome"}'])
        asked = model_.with_structured_output(schema, method="json_schema")
        found += [str(piece) for piece in asked.stream("Which?")]
        found += [str([piece async for piece in asked.astream("Which?")][-1])]
    return found


@both
async def structured_and_wrong(service, model):
    """An answer that is none: which the program may ask to see."""
    service.queue('{"town": 5}', '{"town": 5}')
    asked = model.with_structured_output(City, method="json_schema", include_raw=True)
    try:
        got = asked.invoke("Which?")
    except ValueError as error:
        return ["ValueError", "name" in str(error)]
    return [str(got["parsed"]), isinstance(got["parsing_error"], ValueError)]


@both
async def streamed(service, model):
    service.queue("One two three.", "One two three.")
    chunks = list(model.stream("Count.")) + [chunk async for chunk in model.astream("Count.")]
    return [[chunk.content, chunk.usage_metadata] for chunk in chunks]


@both
async def streamed_tools(service, model):
    service.queue(text("", tool_calls=[("City", {"name": "Paris"})]))
    whole = None
    async for chunk in model.bind_tools([City]).astream("Which city?"):
        whole = chunk if whole is None else whole + chunk
    return [[call["name"], call["args"]] for call in whole.tool_calls]


@both
async def batch(service, model):
    service.queue("Yes.", "Yes.")
    return [message.text for message in model.batch(["a", "a"])]


@both
async def agent(service, model):
    from langgraph.prebuilt import create_react_agent

    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    found = create_react_agent(model, [weather])
    state = await found.ainvoke({"messages": [("user", "Weather in Paris?")]})
    return [message.type for message in state["messages"]]


@both
async def graph(service, model):
    """langgraph's own way: nodes, and a tool that the graph calls; whole and as it goes on."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    asked = model.bind_tools([weather])

    def ask(state):
        return {"messages": [asked.invoke(state["messages"])]}

    plan = StateGraph(MessagesState)
    plan.add_node("ask", ask)
    plan.add_node("tools", ToolNode([weather]))
    plan.add_edge(START, "ask")
    plan.add_conditional_edges("ask", tools_condition)
    plan.add_edge("tools", "ask")
    found = plan.compile()
    question = {"messages": [("user", "Weather in Paris?")]}
    call = text("", tool_calls=[("weather", {"city": "Paris"})])
    service.queue(call, "It is sunny.", call, "It is sunny.")
    state = found.invoke(question)
    told_ = [[message.type, message.text] for message in state["messages"]]
    steps = [list(step) for step in found.stream(question, stream_mode="updates")]
    return [told_, steps]


@both
async def agent_streamed(service, model):
    """The tokens of an agent, synchronous and asynchronous."""
    from langgraph.prebuilt import create_react_agent

    def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    call = text("", tool_calls=[("weather", {"city": "Paris"})])
    service.queue(call, "It is sunny.", call, "It is sunny.")
    found = create_react_agent(model, [weather])
    question = {"messages": [("user", "Weather in Paris?")]}
    said = [piece.text for piece, _ in found.stream(question, stream_mode="messages")]
    async for piece, _ in found.astream(question, stream_mode="messages"):
        said.append(piece.text)
    return said


@both
async def agent_structured(service, model):
    """An agent whose last answer has a schema."""
    from langgraph.prebuilt import create_react_agent

    service.queue("Paris.", '{"name": "Paris"}')
    found = create_react_agent(model, [], response_format=City)
    state = found.invoke({"messages": [("user", "Which city?")]})
    return str(state["structured_response"])


@both
async def refused(service, model):
    service.queue(400)
    try:
        model.invoke("Say hello.")
    except Exception as error:
        return [type(error).__name__, error.status_code, str(error.body)]


@drive.case
def logprobs(service):
    answer = model(service, logprobs=True).invoke("Say hello.")
    return [answer.content, bool(answer.response_metadata.get("logprobs"))]


drive.main()
