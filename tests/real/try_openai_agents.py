"""openai-agents: agents with tools, handoffs and streams, over chat and responses, handed an
AsyncOpenAI client."""
# needs: openai-agents==0.24.0

import drive

drive.stand_in()

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from pydantic import BaseModel

from modelwire.testing import text

set_tracing_disabled(True)


class City(BaseModel):
    """A city."""

    name: str


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


def both(function):
    """The same case over both operations."""
    kinds = ((OpenAIChatCompletionsModel, "chat"), (OpenAIResponsesModel, "responses"))
    for kind, name in kinds:

        async def run(service, kind=kind):
            return await function(
                service, kind(model="echo", openai_client=drive.async_client(service))
            )

        run.__name__ = f"{function.__name__}_{name}"
        drive.case(run)
    return function


@both
async def plain(service, model):
    service.queue("Hello there.")
    result = await Runner.run(Agent(name="A", instructions="Be brief.", model=model), "Say hello.")
    usage = result.raw_responses[0].usage
    return [result.final_output, usage.input_tokens, usage.output_tokens]


@both
async def tool(service, model):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "Sunny.")
    result = await Runner.run(Agent(name="A", model=model, tools=[weather]), "Weather in Paris?")
    return [result.final_output, [item.type for item in result.new_items]]


@both
async def structured(service, model):
    service.queue('{"name": "Paris"}')
    result = await Runner.run(Agent(name="A", model=model, output_type=City), "Which city?")
    return result.final_output.model_dump()


@both
async def handed_on(service, model):
    service.queue(text("", tool_calls=[("transfer_to_b", {})]), "I am B.")
    other = Agent(name="B", model=model)
    result = await Runner.run(Agent(name="A", model=model, handoffs=[other]), "Let B speak.")
    return [result.final_output, result.last_agent.name]


@both
async def streamed(service, model):
    service.queue(text("", tool_calls=[("weather", {"city": "Paris"})]), "It is sunny.")
    result = Runner.run_streamed(Agent(name="A", model=model, tools=[weather]), "Weather?")
    kinds = []
    async for event in result.stream_events():
        if event.type == "raw_response_event":
            kinds.append(event.data.type)
        else:
            kinds.append(event.name if hasattr(event, "name") else event.type)
    return [result.final_output, kinds]


@both
async def second_turn(service, model):
    service.queue("First.", "Second.")
    agent = Agent(name="A", model=model)
    result = await Runner.run(agent, "One.")
    result = await Runner.run(agent, result.to_input_list() + [{"role": "user", "content": "Two."}])
    return result.final_output


@both
async def refused(service, model):
    service.queue(400)
    try:
        await Runner.run(Agent(name="A", model=model), "Say hello.")
    except Exception as error:
        return type(error).__name__


drive.main()
